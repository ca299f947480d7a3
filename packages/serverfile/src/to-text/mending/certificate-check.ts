import { isJsonObject, type JsonObject, type JsonValue } from "server-core/json/json-value";
import { type ConfigDraft, draftText } from "../config-draft.ts";
import { objectsOf } from "../json-lists.ts";
import { type Line, textOf } from "../lines/line.ts";
import { distanceBetween } from "./distance.ts";

function isLog({ words: [name = ""] }: Line): boolean {
  return textOf(name) === "log";
}

/** The matchers of the routes of whole sites. */
function sitesOf(routes: JsonValue | undefined): JsonValue[] {
  return objectsOf(routes).flatMap(({ match, terminal }) =>
    terminal === true && match !== undefined ? [match] : [],
  );
}

/** The parts of a config that depend only on certificates and addresses. */
function certificatesIn(config: JsonValue): JsonValue {
  const apps = isJsonObject(config) && isJsonObject(config.apps) ? config.apps : {};
  const http = isJsonObject(apps.http) && isJsonObject(apps.http.servers) ? apps.http.servers : {};
  const servers = Object.entries(http).map(([name, server]): [string, JsonObject] => {
    const {
      listen = null,
      routes,
      tls_connection_policies = null,
      automatic_https = null,
    } = isJsonObject(server) ? server : {};
    return [name, { listen, sites: sitesOf(routes), tls_connection_policies, automatic_https }];
  });
  return { apps: { tls: apps.tls ?? null, http: { servers: Object.fromEntries(servers) } } };
}

/** A draft without what says nothing about certificates: it is adapted in a fraction of the time. */
function bare(draft: ConfigDraft): ConfigDraft {
  const sites = draft.sites.map(({ keys, head }) => ({
    keys,
    head: head.filter((each) => !isLog(each)),
    body: [],
  }));
  const options = draft.options.filter((each) => !isLog(each));
  return { options, named: [], sites };
}

/** Tells whether certificates come to those of a config, in a fraction of the time that a whole text takes. */
export class CertificateCheck {
  readonly #wanted: JsonValue;
  readonly #adapt: (text: string) => JsonValue;
  readonly #scores = new Map<string, number>();

  /** @param adapt what a text comes to; throws for one that is not understood */
  constructor(config: JsonValue, adapt: (text: string) => JsonValue) {
    this.#wanted = certificatesIn(config);
    this.#adapt = adapt;
  }

  /** How far the certificates of a config are away: 0 when they are the same. */
  distanceTo(result: JsonValue): number {
    return distanceBetween(this.#wanted, certificatesIn(result)).score;
  }

  /** The same for a draft; the largest number for one that is not understood. */
  scoreOf(draft: ConfigDraft): number {
    const text = draftText(bare(draft));
    let score = this.#scores.get(text);
    if (score === undefined) {
      try {
        score = this.distanceTo(this.#adapt(text));
      } catch {
        score = Number.MAX_SAFE_INTEGER;
      }
      this.#scores.set(text, score);
    }
    return score;
  }
}
