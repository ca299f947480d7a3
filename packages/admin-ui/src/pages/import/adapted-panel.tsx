import "ui-kit/components/link-switch.css";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { Icon } from "ui-kit/components/icon.tsx";
import { replaceConfig } from "../../api/adapt.ts";
import { ApiError } from "../../api/api-error.ts";
import { configQuery, type RunningConfig, type Verdict, validateConfig } from "../../api/config.ts";
import { isObject, type JsonValue } from "../../api/json-value.ts";
import { DifferenceList } from "../../components/difference-list.tsx";
import { QueryState } from "../../components/query-state.tsx";
import { currentDraft } from "../../config/draft-store.ts";
import { explainSafely } from "../../config/explain-patch.ts";
import { CodeEditor } from "../../editor/code-editor.tsx";

const route = getRouteApi("/import");

/** The running admin settings, if the new config has none: without them the console could become unreachable. */
function keptAdmin(config: JsonValue, running: JsonValue): JsonValue | undefined {
  const says = isObject(config) && config.admin !== undefined;
  return says || !isObject(running) ? undefined : running.admin;
}

interface AdaptedPanelProps {
  config: JsonValue;
  running: RunningConfig;
  isOld: boolean;
  onLoaded: () => void;
}

/**
 * The result of adapting a text: as JSON, and as a difference to the running config.
 * @param isOld true when the text has changed since
 * @param onLoaded called once the config runs
 */
export function AdaptedPanel(props: AdaptedPanelProps) {
  const { running, isOld, onLoaded } = props;
  const { view } = route.useSearch();
  const [keeps, setKeeps] = useState(true);
  const admin = keptAdmin(props.config, running.document);
  const config =
    keeps && admin !== undefined && isObject(props.config) ? { ...props.config, admin } : props.config;
  const text = JSON.stringify(config, undefined, 2);
  const verdict = useQuery({
    queryKey: ["validate", running.etag, text],
    queryFn: ({ signal }) => validateConfig(config, signal),
    gcTime: 0,
  });
  const load = useLoad(config, running, onLoaded);
  return (
    <>
      <div className="import-actions">
        <nav className="link-switch" aria-label="View">
          <ViewLink view={undefined} text="JSON" />
          <ViewLink view="difference" text="What would change" />
        </nav>
        <button
          type="button"
          className="button main"
          disabled={isOld || load.isPending || verdict.data?.valid !== true}
          onClick={() => load.mutate()}
        >
          {load.isPending ? "Loading …" : "Load"}
        </button>
        {admin !== undefined && (
          <label>
            <input type="checkbox" checked={keeps} onChange={(event) => setKeeps(event.target.checked)} />
            keep the settings of the admin endpoint
          </label>
        )}
      </div>
      {load.isError && (
        <p className="refusal" role="alert">
          <Icon name="error" /> {loadFault(load.error)}
        </p>
      )}
      {currentDraft() !== undefined && (
        <p className="muted">Changes on the config page that are not applied are not part of this.</p>
      )}
      <QueryState query={verdict}>{(said) => <Said verdict={said} />}</QueryState>
      {view === "difference" ? (
        verdict.data !== undefined && <Changes verdict={verdict.data} before={running.document} />
      ) : (
        <div className="import-text">
          <CodeEditor label="JSON that it becomes" language="json" value={text} readOnly />
        </div>
      )}
    </>
  );
}

/**
 * Loads a config, if the running config is still the one that was read. After a success all data is requested again;
 * after a conflict with another client only the config.
 * @param onLoaded called once the config runs
 */
function useLoad(config: JsonValue, running: RunningConfig, onLoaded: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => replaceConfig(config, running.etag),
    onSuccess: async () => {
      onLoaded();
      await client.invalidateQueries();
    },
    onError: async (error) => {
      if (error instanceof ApiError && error.code === "API_CHANGED") {
        await client.invalidateQueries({ queryKey: configQuery.queryKey, exact: true });
      }
    },
  });
}

/** A link that selects the view; the current one is marked. */
function ViewLink({ view, text }: { view: "difference" | undefined; text: string }) {
  return (
    <Link
      to="/import"
      search={view === undefined ? {} : { view }}
      activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
    >
      {text}
    </Link>
  );
}

/** Describes why loading failed. In both cases nothing was loaded. */
function loadFault(error: Error): string {
  return error instanceof ApiError && error.code === "API_CHANGED"
    ? "Somebody else changed the config meanwhile, so nothing was loaded. Look at what would change now, then load again."
    : `The server refused, and goes on with what ran before: ${error.message}`;
}

/** The verdict on the config, with the reason if it would not run. */
function Said({ verdict: { valid, error, errors = [], changes } }: { verdict: Verdict }) {
  if (valid) {
    return (
      <p className="muted" role="status">
        {changes.length === 0
          ? "It is what runs now."
          : `The server could run this. Loading it makes ${changes.length} ${changes.length === 1 ? "change" : "changes"}, all or none.`}
      </p>
    );
  }
  return (
    <div className="refusal" role="alert">
      <Icon name="error" />
      <ul>
        {(errors.length > 0 ? errors : [{ path: "/config", message: error ?? "refused" }]).map((fault) => (
          <li key={`${fault.path} ${fault.message}`}>
            <span className="mono">{fault.path}</span> {fault.message}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Changes({ verdict: { changes }, before }: { verdict: Verdict; before: JsonValue }) {
  return changes.length === 0 ? null : <DifferenceList differences={explainSafely(before, changes)} />;
}
