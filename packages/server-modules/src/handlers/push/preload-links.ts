/**
 * Matches one link: `<target>` with its parameters. An unclosed quote extends to the end of the text, so no part is
 * scanned twice.
 */
const link = /<([^<>]*)>((?:[^",<]|"(?:[^"\\]|\\[\s\S]?)*(?:"|$))*)/g;
/** Matches a parameter of a link, quoted or plain. */
const parameter = /;\s*([^\s=;,"]+)\s*(?:=\s*(?:"((?:[^"\\]|\\[\s\S]?)*)(?:"|$)|([^\s;,"]*)))?/g;

/**
 * `</a.css>; rel=preload; as=style, </b.js>; rel="preload"; nopush` gives `/a.css`.
 * @returns targets of links in a `Link` field with the relation `preload`, except links with `nopush`
 * Source: RFC 8288, section 3
 */
export function preloadTargets(value: string): string[] {
  const targets: string[] = [];
  for (const [, target = "", parameters = ""] of value.matchAll(link)) {
    let isPreload: boolean | undefined;
    let isWanted = true;
    for (const [, name = "", quoted, plain = ""] of parameters.matchAll(parameter)) {
      if (name.toLowerCase() === "rel") {
        // Only the first `rel` parameter counts.
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
