import "./config-page.css";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo } from "react";
import { isTyping } from "ui-kit/components/typing-target.ts";
import { configQuery, type RunningConfig } from "../../api/config.ts";
import { QueryState } from "../../components/query-state.tsx";
import { findFaults, type SchemaFault } from "../../config/find-faults.ts";
import { above } from "../../config/json-pointer.ts";
import { type ConfigSchema, SchemaReader } from "../../config/schema.ts";
import { schemaQuery } from "../../config/schema-query.ts";
import { withFolding } from "./config-address.ts";
import { ConfigHead } from "./config-head.tsx";
import { ConfigTree } from "./config-tree.tsx";
import { PlacePanel } from "./place-panel.tsx";
import { ReviewPanel } from "./review-panel.tsx";
import { type ConfigDraft, useConfigDraft } from "./use-config-draft.ts";
import { useTreeLines } from "./use-tree-lines.ts";

const route = getRouteApi("/config");

/**
 * The running config as a tree, and its unapplied changes. It needs both the config and the schema; until then it shows
 * the state of the missing one.
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
 * The page after config and schema have loaded: the tree on the left, the selected place or the review on the right.
 * `r` opens the review. Selection, search and folding are in the URL, the edits in the tab.
 */
function LoadedConfig({ running, schema }: { running: RunningConfig; schema: ConfigSchema }) {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const draft = useConfigDraft(running);
  const { document, edits } = draft;
  const reader = useMemo(() => new SchemaReader(schema), [schema]);
  const faults = useMemo(() => findFaults(reader, document, schema), [reader, document, schema]);
  const { at = "", q = "", view } = address;
  const rows = useTreeLines(document, address);
  const changed = useMemo(
    () => new Set(edits.map(({ path, op }) => (op === "remove" ? above(path) : path))),
    [edits],
  );
  const faulty = useMemo(() => new Set(faults.map(({ path }) => path)), [faults]);
  const review = view === "review";

  const go = (pointer: string) =>
    void navigate({ search: (old) => ({ ...old, at: pointer, view: undefined }) });

  useReviewKey(
    useCallback(() => void navigate({ search: (old) => ({ ...old, view: "review" }) }), [navigate]),
  );

  return (
    <div className="config-page">
      <ConfigHead
        draft={draft}
        faultCount={faults.length}
        isReview={review}
        onReview={() => void navigate({ search: (old) => ({ ...old, view: review ? undefined : "review" }) })}
      />
      <div className="config-side">
        <FindField
          value={q}
          onValue={(text) => void navigate({ search: (old) => ({ ...old, q: text }), replace: true })}
        />
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
      <ConfigPlace draft={draft} reader={reader} faults={faults} onGo={go} />
    </div>
  );
}

/** The inputs of {@link ConfigPlace}. */
interface ConfigPlaceProps {
  /** Takes the edits. */
  draft: ConfigDraft;
  /** Knows the schema of the whole config. */
  reader: SchemaReader;
  /** All faults of the draft. */
  faults: readonly SchemaFault[];
  /** Called to select another place. */
  onGo: (pointer: string) => void;
}

/** The right side: the selected place, or the review, which a conflict opens too. */
function ConfigPlace({ draft, reader, faults, onGo }: ConfigPlaceProps) {
  const { at = "", view } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <div className="config-place">
      {view === "review" || draft.conflict !== undefined ? (
        <ReviewPanel draft={draft} onGo={onGo} />
      ) : (
        <PlacePanel
          key={`${at} ${view}`}
          reader={reader}
          draft={draft}
          at={at}
          asJson={view === "json"}
          faults={faults.filter(({ path }) => path === at || above(path) === at)}
          onGo={onGo}
          onView={(json) => void navigate({ search: (old) => ({ ...old, view: json ? "json" : undefined }) })}
        />
      )}
    </div>
  );
}

/** The field above the tree that finds names and values; the key `/` leads to it. */
function FindField({ value, onValue }: { value: string; onValue: (text: string) => void }) {
  return (
    <div className="config-find">
      <input
        className="field"
        type="search"
        data-slash
        aria-label="Find a name or a value"
        placeholder="Find a name or a value"
        value={value}
        onChange={(event) => onValue(event.target.value)}
      />
    </div>
  );
}

/** The key `r` opens the review, unless somebody types. The listener ends with the page. */
function useReviewKey(onReview: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey || event.key !== "r") {
        return;
      }
      event.preventDefault();
      onReview();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [onReview]);
}
