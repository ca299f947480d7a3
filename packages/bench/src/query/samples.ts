/** Values for questions, from the newest hour of a system's spans. */
export interface Samples {
  readonly endUnixMs: number;
  /** Ids of 32 hex digits; at least one. */
  readonly traceIds: readonly string[];
  /** Values of the rare attribute `http.request.id`. */
  readonly requestIds: readonly string[];
}

interface Answer {
  readonly data: readonly {
    readonly traceID: string;
    readonly spans: readonly {
      readonly tags: readonly { readonly key: string; readonly value: unknown }[];
    }[];
  }[];
}

const hourUs = 3_600_000_000;

/**
 * Reads the ids of some traces from a system.
 * @param url base URL of its query API
 * @throws Error when there are none
 */
export async function readSamples(url: string, endUnixMs: number): Promise<Samples> {
  const end = endUnixMs * 1_000;
  const times = { start: String(end - hourUs), end: String(end), limit: "50" };
  const answer = await fetch(`${url}/api/traces?${new URLSearchParams({ service: "frontend", ...times })}`);
  const { data } = (await answer.json()) as Answer;
  if (data.length === 0) {
    throw new Error(`${url} has no trace of the hour before ${new Date(endUnixMs)}`);
  }
  const tags = data.flatMap(({ spans }) => spans.flatMap((span) => span.tags));
  return {
    endUnixMs,
    traceIds: data.map(({ traceID }) => traceID.padStart(32, "0")),
    requestIds: tags.filter(({ key }) => key === "http.request.id").map(({ value }) => String(value)),
  };
}
