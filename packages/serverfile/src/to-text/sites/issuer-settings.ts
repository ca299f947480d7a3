import { isJsonObject, type JsonObject, type JsonValue } from "server-core/json/json-value";
import { objectsOf, textsOf, valueAt } from "../json-lists.ts";
import type { UsualPorts } from "./addresses.ts";

/** Directory URL of the second default CA. */
const zerosslDirectory = "https://acme.zerossl.com/v2/DV90";

/** JSON path of the policies of the app `tls`, for error messages. */
export const policiesPath = "/config/apps/tls/automation/policies";

/** An issuer's settings, without the settings that global options add to every issuer. */
export function ownSettings(issuer: JsonObject, ports: UsualPorts): JsonObject {
  const { challenges, ...rest } = issuer;
  if (!isJsonObject(challenges)) {
    return issuer;
  }
  const { http, "tls-alpn": alpn, bind_host: _host, ...others } = challenges;
  const without = (challenge: JsonValue | undefined, port: number) => {
    if (!isJsonObject(challenge)) {
      return {};
    }
    const { alternate_port: own, ...more } = challenge;
    return own === undefined || own === port ? more : challenge;
  };
  const kept = { http: without(http, ports.http), "tls-alpn": without(alpn, ports.https) };
  const given = Object.entries(kept).filter(([, value]) => Object.keys(value).length > 0);
  const made = { ...others, ...Object.fromEntries(given) };
  return Object.keys(made).length === 0 ? rest : { ...rest, challenges: made };
}

/** The email of the two issuers that `tls <email>` creates; undefined for any other issuers. */
export function emailOf(issuers: readonly JsonObject[], ports: UsualPorts): string | undefined {
  const [first, second, more] = issuers.map((each) => ownSettings(each, ports));
  const email = first?.email;
  const isIt =
    more === undefined &&
    typeof email === "string" &&
    JSON.stringify(sortedKeys(first)) === JSON.stringify({ email, module: "acme" }) &&
    JSON.stringify(sortedKeys(second)) === JSON.stringify({ ca: zerosslDirectory, email, module: "acme" });
  return isIt ? email : undefined;
}

/** An object with sorted keys, for comparison as JSON text. */
function sortedKeys(object: JsonObject | undefined): JsonObject {
  return Object.fromEntries(Object.entries(object ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Host from `bind` on which the issuers of a policy answer challenges. */
export function bindHostOf(policy: JsonObject | undefined): string | undefined {
  const hosts = objectsOf(policy, "issuers").map(
    (issuer) => valueAt(issuer, "challenges", "bind_host") ?? null,
  );
  return textsOf(hosts)[0];
}
