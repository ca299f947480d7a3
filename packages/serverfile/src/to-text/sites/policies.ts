import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonObject, type JsonValue } from "server-core/json/json-value";
import { objectsOf, textsOf, valueAt } from "../json-lists.ts";
import type { Line } from "../lines/line.ts";
import { Members } from "../members.ts";
import { issuerLine } from "../modules/issuers.ts";
import type { UsualPorts } from "./addresses.ts";

/** Directory URL of the second default CA. */
const zerosslDirectory = "https://acme.zerossl.com/v2/DV90";

/** JSON path of the policies of the app `tls`, for error messages. */
export const policiesPath = "/config/apps/tls/automation/policies";

/** A policy of the app `tls`: how names get certificates. */
export interface Policy {
  /** Names of the policy; undefined for all names that no other policy lists. */
  readonly subjects: readonly string[] | undefined;
  /** Issuers, without the settings that global options add to every issuer. */
  readonly issuers: readonly JsonObject[];
  /** Host from `bind` on which the issuers answer challenges. */
  readonly bindHost: string | undefined;
  /** All other members. */
  readonly settings: JsonObject;
}

/** Reads the policies of the app `tls`, in order. */
export function readPolicies(tls: JsonObject, ports: UsualPorts): Policy[] {
  return objectsOf(tls, "automation", "policies").map(({ subjects, issuers, ...settings }) => {
    const list = objectsOf(issuers);
    return {
      subjects: subjects === undefined ? undefined : textsOf(subjects),
      issuers: list.map((issuer) => ownSettings(issuer, ports)),
      bindHost: textsOf(list.map((issuer) => valueAt(issuer, "challenges", "bind_host") ?? null))[0],
      settings,
    };
  });
}

/** True when the only issuer is the internal one. */
export function isInternal({ issuers }: Policy): boolean {
  return JSON.stringify(issuers) === '[{"module":"internal"}]';
}

/** An issuer's settings, without the settings that global options add to every issuer. */
function ownSettings(issuer: JsonObject, ports: UsualPorts): JsonObject {
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
export function emailOf({ issuers }: Policy): string | undefined {
  const email = issuers[0]?.email;
  const acme = { module: "acme", email };
  const isMade = isDeepStrictEqual(issuers, [acme, { ...acme, ca: zerosslDirectory }]);
  return isMade && typeof email === "string" ? email : undefined;
}

/**
 * Writes each issuer of a policy as one line.
 * @param name first word of the line
 * @param email the email that global options add to every issuer; undefined without such an email
 */
export function issuerLines({ issuers }: Policy, name: string, email?: string): Line[] {
  return issuers.map((issuer) => {
    const { email: own, ...others } = issuer;
    return issuerLine(new Members(own === email ? others : issuer, `${policiesPath}/issuers`), name);
  });
}
