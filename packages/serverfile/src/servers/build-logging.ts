import type { NamedLog } from "../routes/site-results.ts";
import type { GlobalOptions } from "../sites/global-options.ts";
import type { ServerSites } from "../sites/listeners.ts";
import { resultsOf } from "../sites/site.ts";
import { childOf, type Draft, isEmptyDraft, setMember } from "../values/draft.ts";

/** A log; if it has no level and the option `debug` is on, its level becomes DEBUG. */
function withDefaultLevel(log: NamedLog, options: GlobalOptions): NamedLog {
  const needsLevel = options.debug === true && log.log !== undefined && log.log.level === undefined;
  return needsLevel ? { ...log, log: { ...log.log, level: "DEBUG" } } : log;
}

/**
 * Builds the section `logging`. Loggers that other logs include are excluded from the default log. Undefined when the
 * section would be empty.
 */
export function buildLogging(groups: readonly ServerSites[], options: GlobalOptions): Draft | undefined {
  const named = [...options.logs];
  if (options.debug === true && !named.some(({ name }) => name === "default")) {
    named.push({ name: "default", hosts: [], noHost: false, log: { level: "DEBUG" } });
  }
  for (const { site } of groups.flatMap(({ sites }) => sites)) {
    named.push(...resultsOf(site, "log").map(({ log }) => log));
  }
  const written = named
    .filter(({ name, log }) => name !== "" && log !== undefined)
    .map((each) => withDefaultLevel(each, options));
  const logs: Draft = {};
  const byDefault = written.find(({ name }) => name === "default")?.log;
  if (byDefault !== undefined) {
    logs.default = { ...byDefault };
  }
  for (const { name, log = {} } of written) {
    if (name === "default") {
      continue;
    }
    setMember(logs, name, log);
    if (Array.isArray(log.include) && log.include.length > 0) {
      const rest = childOf(logs, "default");
      const exclude = new Set([...(Array.isArray(rest.exclude) ? rest.exclude : []), ...log.include]);
      rest.exclude = [...exclude].sort();
    }
  }
  return isEmptyDraft(logs) ? undefined : { logs };
}
