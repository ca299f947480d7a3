/**
 * Reads metrics from a Prometheus page; each is the sum over its series with labels that contain `labels`.
 * @param names complete names; an absent metric counts as 0
 * @throws Error when the page does not answer
 */
export async function metricSums<Name extends string>(
  url: string,
  names: readonly Name[],
  labels = "",
): Promise<Record<Name, number>> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
  if (!answer.ok) {
    throw new Error(`${url} answered ${answer.status}`);
  }
  const sums = Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
  for (const line of (await answer.text()).split("\n")) {
    const name = names.find((name) => line.startsWith(name) && "{ ".includes(line[name.length] ?? "}"));
    if (name !== undefined && line.includes(labels)) {
      sums[name] += Number(line.slice(line.lastIndexOf(" ")));
    }
  }
  return sums;
}

const timeoutMs = 10_000;
