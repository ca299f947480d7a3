/**
 * One link, `<target>` with its parameters. An unclosed quote extends to the end, so that no part is scanned
 * twice.
 */
const link = /<([^<>]*)>((?:[^",<]|"(?:[^"\\]|\\[\s\S]?)*(?:"|$))*)/g;
/** A parameter of a link, quoted or plain. */
const parameter = /;\s*([^\s=;,"]+)\s*(?:=\s*(?:"((?:[^"\\]|\\[\s\S]?)*)(?:"|$)|([^\s;,"]*)))?/g;

/**
 * `</a.css>; rel=preload; as=style, </b.js>; rel="preload"; nopush` gives `/a.css`.
 * @returns targets of the links of a `Link` field that have the relation `preload`, without those with `nopush`
 * Source: RFC 8288, section 3
 */
export function preloadTargets(value: string): string[] {
  const targets: string[] = [];
  for (const [, target = "", parameters = ""] of value.matchAll(link)) {
    let isPreload: boolean | undefined;
    let isWanted = true;
    for (const [, name = "", quoted, plain = ""] of parameters.matchAll(parameter)) {
      if (name.toLowerCase() === "rel") {
        // Only the first counts.
        isPreload ??= (quoted ?? plain).toLowerCase().split(/\s+/).includes("preload");
      } else if (name.toLowerCase() === "nopush") {
        isWanted = false;
      }
    }
    if (isPreload && isWanted) {
      targets.push(target.trim());
    }
  }
  return targets;
}
