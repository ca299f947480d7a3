import { objectsOf, valueAt } from "../json-lists.ts";
import { type Line, line } from "../lines/line.ts";
import type { Members } from "../members.ts";
import type { UsualPorts } from "./addresses.ts";

/**
 * The default ports, which a config's addresses omit. If a default port is 0, the config does not contain it, but the
 * challenges of issuers have an empty object for it.
 */
export function usualPortsOf(config: Members): UsualPorts {
  const policies = objectsOf(config.objectAt("apps", "tls", "automation"), "policies");
  const issuers = policies.flatMap((policy) => objectsOf(policy, "issuers"));
  const port = (key: string, challenge: string, usual: number) => {
    const given = config.objectAt("apps", "http")[key];
    const isZero = issuers.some(
      (issuer) => JSON.stringify(valueAt(issuer, "challenges", challenge)) === "{}",
    );
    return typeof given === "number" && given !== 0 ? given : isZero ? 0 : usual;
  };
  const [http, https] = [port("http_port", "http", 80), port("https_port", "tls-alpn", 443)];
  return { http, https, namesScheme: false };
}

/** Writes default ports of 0, because no other part of the config contains them. */
export function zeroPortLines({ http, https }: UsualPorts): Line[] {
  return [...(http === 0 ? [line("http_port", "0")] : []), ...(https === 0 ? [line("https_port", "0")] : [])];
}
