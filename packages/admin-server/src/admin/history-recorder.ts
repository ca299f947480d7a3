import type { AppliedChange } from "server-core/engine/config-engine";
import { type ConfigHistory, defaultHistoryLimits } from "server-core/history/config-history";
import { withoutIds } from "server-core/json/id-index";
import { isJsonObject, type JsonValue, member } from "server-core/json/json-value";
import { decodeAdminConfig } from "./admin-config.ts";

/** The history settings in the section `admin`. @param config whole document of the running config */
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
 * Stores each running config in the history, within the limits of that config. A failed write is only logged, by the
 * history: the config already runs, so the change must not fail.
 */
export function recordChanges(history: ConfigHistory): (change: AppliedChange) => Promise<void> {
  return ({ config, written, author, cause }) =>
    history.record({ document: written, author, cause, ...keeping(config) });
}
