import "./config-page.css";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useMemo } from "react";
import { Icon } from "ui-kit/components/icon.tsx";
import { isTyping } from "ui-kit/components/typing-target.ts";
import { configQuery, type RunningConfig } from "../../api/config.ts";
import type { HistoryEntry } from "../../api/history.ts";
import { QueryState } from "../../components/query-state.tsx";
import { findFaults } from "../../config/find-faults.ts";
import { above } from "../../config/json-pointer.ts";
import { type ConfigSchema, SchemaReader } from "../../config/schema.ts";
import { schemaQuery } from "../../config/schema-query.ts";
import { findInTree, treeRows } from "../../config/tree-rows.ts";
import { isOpenIn, withFolding } from "./config-address.ts";
import { ConfigTree } from "./config-tree.tsx";
import { PlacePanel } from "./place-panel.tsx";
import { ReviewPanel } from "./review-panel.tsx";
import { useConfigDraft } from "./use-config-draft.ts";

const route = getRouteApi("/config");

/**
 * The running config as a tree, and the changes to it, which are looked at before they are applied. Needs
 * both the config and its schema; until then it shows the state of whichever is missing.
 */
export function ConfigPage() {
  const config = useQuery(configQuery);
  const schema = useQuery(schemaQuery);
  if (config.data !== undefined && schema.data !== undefined) {
    return <LoadedConfig running={config.data} schema={schema.data} />;
  }
  return (
    <div className="console-page">
      <div className="page-head">
        <h1>Config</h1>
      </div>
      <QueryState query={config}>{() => <QueryState query={schema}>{() => null}</QueryState>}</QueryState>
    </div>
  );
}

/**
 * The page after config and schema have loaded: the tree on the left, the selected place or the review on the
 * right. `r` opens the review. Selection, search and folding are in the address, the edits in the tab.
 */
function LoadedConfig({ running, schema }: { running: RunningConfig; schema: ConfigSchema }) {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const draft = useConfigDraft(running);
  const { document, edits } = draft;
  const reader = useMemo(() => new SchemaReader(schema), [schema]);
  const faults = useMemo(() => findFaults(reader, document, schema), [reader, document, schema]);
  const { at = "", q = "", view } = address;
  // A search shows only found lines and their context, regardless of folding.
  const rows = useMemo(() => {
    const search = q === "" ? undefined : findInTree(document, q);
    const isOpen = isOpenIn(address);
    const all = treeRows(
      document,
      (pointer, level) => search?.holders.has(pointer) || (search === undefined && isOpen(pointer, level)),
    );
    const found = search?.found ?? new Set<string>();
    const lines =
      search === undefined
        ? all
        : all.filter(({ pointer }) => pointer === "" || found.has(pointer) || search.holders.has(pointer));
    return { lines, found };
  }, [document, address, q]);
  const changed = useMemo(
    () => new Set(edits.map(({ path, op }) => (op === "remove" ? above(path) : path))),
    [edits],
  );
  const faulty = useMemo(() => new Set(faults.map(({ path }) => path)), [faults]);
  const review = view === "review";

  const go = (pointer: string) =>
    void navigate({ search: (old) => ({ ...old, at: pointer, view: undefined }) });

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey || event.key !== "r") {
        return;
      }
      event.preventDefault();
      void navigate({ search: (old) => ({ ...old, view: "review" }) });
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [navigate]);

  return (
    <div className="config-page">
      <div className="config-head">
        <h1>Config</h1>
        <p className="muted" role="status">
          {edits.length === 0
            ? "as it runs"
            : `${edits.length} ${edits.length === 1 ? "change" : "changes"} not applied`}
          {faults.length > 0 && `, ${faults.length} ${faults.length === 1 ? "fault" : "faults"}`}
        </p>
        <div className="config-head-actions">
          {edits.length > 0 && (
            <>
              <button type="button" className="button" onClick={draft.undo}>
                Undo the last
              </button>
              <button type="button" className="button" onClick={draft.discard}>
                Discard all
              </button>
              <button
                type="button"
                className={review ? "button" : "button main"}
                onClick={() =>
                  void navigate({ search: (old) => ({ ...old, view: review ? undefined : "review" }) })
                }
              >
                {review ? "Back to editing" : "Review and apply"}
              </button>
            </>
          )}
        </div>
        {draft.newer !== undefined && <NewerVersion newer={draft.newer} />}
      </div>
      <div className="config-side">
        <div className="config-find">
          <input
            className="field"
            type="search"
            data-slash
            aria-label="Find a name or a value"
            placeholder="Find a name or a value"
            value={q}
            onChange={(event) =>
              void navigate({ search: (old) => ({ ...old, q: event.target.value }), replace: true })
            }
          />
        </div>
        <ConfigTree
          rows={rows.lines}
          selected={at}
          changed={changed}
          faulty={faulty}
          found={rows.found}
          onSelect={go}
          onFold={(pointer, unfold) =>
            void navigate({ search: (old) => withFolding(old, pointer, unfold), replace: true })
          }
          onEdit={() => window.document.querySelector<HTMLElement>("[data-editor]")?.focus()}
        />
      </div>
      <div className="config-place">
        {review || draft.conflict !== undefined ? (
          <ReviewPanel draft={draft} onGo={go} />
        ) : (
          <PlacePanel
            key={`${at} ${view}`}
            reader={reader}
            draft={draft}
            at={at}
            asJson={view === "json"}
            faults={faults.filter(({ path }) => path === at || above(path) === at)}
            onGo={go}
            onView={(json) =>
              void navigate({ search: (old) => ({ ...old, view: json ? "json" : undefined }) })
            }
          />
        )}
      </div>
    </div>
  );
}

/**
 * The bar for a config that another client changed while there are edits. Its button reads the newer
 * config; the page then shows the conflict.
 */
function NewerVersion({ newer }: { newer: HistoryEntry }) {
  const client = useQueryClient();
  return (
    <div className="config-newer" role="alert">
      <Icon name="warning" />
      <span>
        The config was changed by {newer.author} (version {newer.n}). Your changes are kept.
      </span>
      <button
        type="button"
        className="button"
        onClick={() => void client.invalidateQueries({ queryKey: configQuery.queryKey, exact: true })}
      >
        See the newer version
      </button>
    </div>
  );
}
