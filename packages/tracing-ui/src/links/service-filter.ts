/**
 * The filter of a trace page for a `svcFilter` of Jaeger's UI: `<checksum>.<mask>`, both in hex. Bit i of the mask is
 * set when the page shows the i-th service of the trace, by name. The checksum covers all names.
 * @param services names of the trace's services, in any order
 * @returns `service=a OR service=b`, or `service!=c` when fewer services are hidden than shown; undefined for a text
 * that is no such filter, belongs to other services, or shows or hides all services
 */
export function serviceFilterText(services: readonly string[], svcFilter: string): string | undefined {
  const names = [...services].sort();
  const [, sum = "", mask = ""] = /^([0-9a-f]{4})\.([0-9a-f]+)$/i.exec(svcFilter) ?? [];
  if (mask === "" || mask.length > names.length / 4 + 1 || sum.toLowerCase() !== checksum(names)) {
    return undefined;
  }
  const bits = BigInt(`0x${mask}`);
  const isShown = (at: number) => ((bits >> BigInt(at)) & 1n) === 1n;
  const shown = names.filter((_, at) => isShown(at));
  const hidden = names.filter((_, at) => !isShown(at));
  if (shown.length === 0 || hidden.length === 0) {
    return undefined;
  }
  return shown.length <= hidden.length
    ? shown.map((name) => `service=${quoted(name)}`).join(" OR ")
    : hidden.map((name) => `service!=${quoted(name)}`).join(" ");
}

/** A value of a filter. Quotes inside the name would end the value, so they are left out. */
function quoted(name: string): string {
  return /^[\p{L}\p{N}_./:-]+$/u.test(name) ? name : `"${name.replaceAll('"', "")}"`;
}

/** 16 bits of FNV over the names, as Jaeger's UI computes it, in hex. */
function checksum(names: readonly string[]): string {
  const text = names.join("\0");
  let sum = 0x811c;
  for (let at = 0; at < text.length; at += 1) {
    sum = Math.imul(sum ^ text.charCodeAt(at), 0x0101) & 0xffff;
  }
  return sum.toString(16).padStart(4, "0");
}
