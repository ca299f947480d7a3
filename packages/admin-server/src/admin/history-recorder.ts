import type { AppliedChange } from "server-core/engine/config-engine";
import { type ConfigHistory, defaultHistoryLimits } from "server-core/history/config-history";
import { withoutIds } from "server-core/json/id-index";
import { isJsonObject, type JsonValue, member } from "server-core/json/json-value";
import { decodeAdminConfig } from "./admin-config.ts";

/** The history settings of the section `admin`. @param config a whole document that runs */
function keeping(config: JsonValue) {
  const section = isJsonObject(config) ? (member(config, "admin") ?? null) : null;
  const { history, config: saving } = decodeAdminConfig(withoutIds(section));
  return {
    limits: {
      maxEntries: history?.max_entries ?? defaultHistoryLimits.maxEntries,
      maxBytes: history?.max_bytes ?? defaultHistoryLimits.maxBytes,
    },
    persist: saving?.persist !== false,
  };
}

/**
 * Puts each config that runs into the history, within the limits that it sets itself.
 * A failure to write is the history's own to log; the config runs already.
 */
export function recordChanges(history: ConfigHistory): (change: AppliedChange) => Promise<void> {
  return ({ config, written, author, cause }) =>
    history.record({ document: written, author, cause, ...keeping(config) });
}
