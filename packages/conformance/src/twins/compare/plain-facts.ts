import type { Facts } from "../twin-case.ts";

/** Replaces the names of the servers, and values that differ in every answer. */
const replacements: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "UUID"],
  [/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} 20(2[4-9]|[3-9]\d) \d\d:\d\d:\d\d GMT/g, "NOW"],
  // The cookie of a load balancer is a hash of the upstream's address.
  [/\blb=[0-9a-f]{64}\b/g, "lb=HASH"],
  // The name in `Server`, `Via` and `SERVER_SOFTWARE`.
  [/(?<=^|^\["|^\[.*,")(\d\.\d |)(?:Caddy|server)(?:\/\w+|)(?=$|"\]$|",")/gm, "$1SERVER"],
];

/** Facts without values that differ between any two servers. */
export function plainFacts(facts: Facts): Facts {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      name,
      replacements.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), value),
    ]),
  );
}
