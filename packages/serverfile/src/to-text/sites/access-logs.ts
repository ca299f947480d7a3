// A server maps hosts to logs. In the text, a `log` line in each site replaces this mapping:
//
// | in `logs` of a server | text of the site |
// |---|---|
// | `logger_names: { "a.example": ["log0"] }` | `log { … }` in the site |
// | `logger_names: { "a.example": ["x"] }` | `log x { … }` in the site |
// | `logger_names: { "a.example": [""] }` | `log` in the site |
// | `skip_hosts: ["a.example"]` | no line in the site, if another site has a log |
// | `default_logger_name: "log0"` | `log { … }` in the site for any host |
// | a name for a host without a site | `log x { hostnames host }` in any site of the server |

import { joinHostPort } from "server-core/go/host-port";
import { isJsonObject, type JsonObject, type JsonValue } from "server-core/json/json-value";
import { textsOf, valueAt } from "../json-lists.ts";
import { given, type Line, line, lineWith } from "../lines/line.ts";
import { Members } from "../members.ts";
import { logLines } from "../modules/log-lines.ts";
import { hostsOfDraft, isForAnyHost, type SiteDraft, type SiteGroup } from "./site-draft.ts";

/** True for a log that contains only the access log with its name. */
export function isAccessLog(name: string, log: JsonValue | undefined): boolean {
  return JSON.stringify(valueAt(log, "include")) === JSON.stringify([`http.log.access.${name}`]);
}

/** True when the text needs the option `debug`: every log has a level, and the default log has DEBUG. */
export function isDebug(logs: JsonObject): boolean {
  const hasLevel = (log: JsonValue) => valueAt(log, "level") !== undefined;
  return valueAt(logs, "default", "level") === "DEBUG" && Object.values(logs).every(hasLevel);
}

/** A server's settings for access logs; undefined when no site of the server has a log. */
function logsOf({ server }: SiteDraft): JsonObject | undefined {
  const logs = server.members.look("logs");
  if (!isJsonObject(logs)) {
    return undefined;
  }
  const { should_log_credentials: _credentials, trace: _trace, ...own } = logs;
  return Object.keys(own).length === 0 && Object.keys(logs).length > 0 ? undefined : own;
}

/** Logs of a site by name. The value is a list of hosts if the log is not for all hosts of the site. */
type Mapping = Map<string, readonly string[] | undefined>;

/** The logs of one site, from the mapping of its server. */
function mappingOf(site: SiteDraft, logs: JsonObject): Mapping {
  if (isForAnyHost(site)) {
    const { default_logger_name: named, skip_unmapped_hosts: skips } = logs;
    const name = typeof named === "string" ? named : skips === true ? undefined : "";
    return new Map(given(name).map((each) => [each, undefined]));
  }
  const hosts = hostsOfDraft(site);
  const names = new Set(hosts.flatMap((host) => textsOf(logs, "logger_names", host)));
  return new Map(
    [...names].map((name) => {
      const those = hosts.filter((host) => textsOf(logs, "logger_names", host).includes(name));
      return [name, those.length === hosts.length ? undefined : those];
    }),
  );
}

/**
 * True when a site needs a log that none of its hosts uses. Without this log, the server's JSON would list the hosts in
 * `skip_hosts`.
 */
function hasHiddenLog(site: SiteDraft, logs: JsonObject): boolean {
  const { port } = site.server.listening;
  const skipped = textsOf(logs.skip_hosts);
  const isSkipped = (host: string) =>
    skipped.includes(host) || skipped.includes(joinHostPort(host, `${port}`));
  return mappingOf(site, logs).size === 0 && !isForAnyHost(site) && !hostsOfDraft(site).every(isSkipped);
}

/** The `log` lines of sites. */
export class AccessLogs {
  readonly #logs: JsonObject;
  readonly #groups: readonly SiteGroup[];
  /** Names of logs whose block is already written; further lines with such a name have no block. */
  readonly #written = new Set<string>();
  /** Number of unnamed logs so far; the next name is `log` with this number. */
  #unnamed = 0;

  /** @param logs logs of the config, by name. @param groups all sites of the text, in the order of the text */
  constructor(logs: JsonObject, groups: readonly SiteGroup[]) {
    this.#logs = logs;
    this.#groups = groups;
  }

  /** Writes the lines of a site, which may be part of several servers. */
  linesFor(group: SiteGroup): Line[] {
    const mapping: Mapping = new Map();
    let hidden = false;
    // The log for any host must be the last log of the site.
    for (const site of [...group].sort((a, b) => Number(isForAnyHost(a)) - Number(isForAnyHost(b)))) {
      const logs = logsOf(site);
      if (logs === undefined) {
        continue;
      }
      for (const [name, hosts] of mappingOf(site, logs)) {
        mapping.set(name, hosts);
      }
      hidden ||= hasHiddenLog(site, logs);
      for (const [name, found] of this.#carrier(site, logs) === site ? this.#strangers(site, logs) : []) {
        mapping.set(name, [...new Set([...(mapping.get(name) ?? []), ...found.map(({ host }) => host)])]);
      }
    }
    const lines = [...mapping].map(([name, hosts]) =>
      this.#line(
        name,
        given(hosts).map((each) => line("hostnames", ...each)),
      ),
    );
    if (hidden && lines.length === 0) {
      lines.push(this.#line("", [line("no_hostname")]));
    }
    return group === this.#groups.at(-1) ? [...lines, ...this.#rest()] : lines;
  }

  /** All sites of a site's server. */
  #sitesOf({ server }: SiteDraft): SiteDraft[] {
    return this.#groups.flat().filter((each) => each.server === server);
  }

  /** The site of a server that gets the `log` lines for hosts without a site. */
  #carrier(site: SiteDraft, logs: JsonObject): SiteDraft | undefined {
    const sites = this.#sitesOf(site);
    return (
      sites.find((each) => hasHiddenLog(each, logs)) ?? sites.find((each) => mappingOf(each, logs).size > 0)
    );
  }

  /** Hosts with a log that belong to no site of the server, by the name of the log. */
  #strangers(site: SiteDraft, logs: JsonObject): ReadonlyMap<string, readonly { host: string }[]> {
    const own = this.#sitesOf(site).filter((each) => !isForAnyHost(each));
    const known = new Set(own.flatMap(hostsOfDraft));
    const mapped = Object.entries(logs.logger_names ?? {}).flatMap(([host, names]) =>
      known.has(host) ? [] : textsOf(names).map((name) => ({ name, host })),
    );
    return Map.groupBy(mapped, ({ name }) => name);
  }

  /** Writes the `log` line. @param head lines that come first in its block */
  #line(name: string, head: readonly Line[]): Line {
    if (name === "") {
      return lineWith(["log"], head);
    }
    const log = this.#logs[name];
    const isNew = !this.#written.has(name) && isAccessLog(name, log);
    this.#written.add(name);
    const body = isNew && log !== undefined ? this.#body(name, log) : [];
    const isNumbered = body.length > 0 && name === `log${this.#unnamed}`;
    if (isNumbered) {
      this.#unnamed++;
    }
    return lineWith(isNumbered ? ["log"] : ["log", name], [...head, ...body]);
  }

  /** Writes the settings of a log. Call this once for each log, because it takes the members. */
  #body(name: string, log: JsonValue): Line[] {
    const members = new Members(log, `/config/logging/logs/${name}`);
    members.take("include");
    const lines = logLines(members, isDebug(this.#logs));
    members.done("log");
    return lines;
  }

  /** Logs that no server writes to. They are written in the last site, so that they stay in the config. */
  #rest(): Line[] {
    return Object.entries(this.#logs).flatMap(([name, log]) =>
      isAccessLog(name, log) && !this.#written.has(name) ? [this.#line(name, [line("no_hostname")])] : [],
    );
  }
}
