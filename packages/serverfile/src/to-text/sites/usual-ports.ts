import type { JsonValue } from "server-core/json/json-value";
import { objectsOf, valueAt } from "../json-lists.ts";
import { type Line, line } from "../lines/line.ts";
import type { UsualPorts } from "./addresses.ts";

/**
 * Which of the usual ports is 0. A port of 0 is nowhere in the config, but issuers' challenges have an empty object for it.
 */
function zeroPorts(config: JsonValue): { http: boolean; https: boolean } {
  const issuers = objectsOf(config, "apps", "tls", "automation", "policies").flatMap((policy) =>
    objectsOf(policy, "issuers"),
  );
  const isZero = (name: string) =>
    issuers.some((issuer) => JSON.stringify(valueAt(issuer, "challenges", name)) === "{}");
  return { http: isZero("http"), https: isZero("tls-alpn") };
}

/** The ports that a config's addresses have without saying so. */
export function usualPortsOf(config: JsonValue): UsualPorts {
  const port = (key: string, usual: number) => {
    const given = valueAt(config, "apps", "http", key);
    return typeof given === "number" && given !== 0 ? given : usual;
  };
  const zero = zeroPorts(config);
  return {
    http: port("http_port", zero.http ? 0 : 80),
    https: port("https_port", zero.https ? 0 : 443),
    namesScheme: false,
  };
}

/** The usual ports that no member of the config tells of. */
export function zeroPortLines({ http, https }: UsualPorts): Line[] {
  return [...(http === 0 ? [line("http_port", "0")] : []), ...(https === 0 ? [line("https_port", "0")] : [])];
}
