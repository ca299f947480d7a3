import "./search-page.css";
import { getRouteApi } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import type { SpanConditions } from "../../api/analysis.ts";
import { Loading } from "../../components/loading.tsx";
import { RefreshSelect } from "../../components/refresh-select.tsx";
import { embedding } from "../../links/embedding.ts";
import { useChosenTraces } from "../../searches/chosen-traces.ts";
import { addressFields, type SearchAddress } from "../../searches/search-address.ts";
import { tagText } from "../../searches/tag-text.ts";
import { changesAddress, changesFields } from "../changes/changes-address.ts";
import { rememberService } from "./last-service.ts";
import { Overview } from "./overview.tsx";
import { SearchBody } from "./search-body.tsx";
import { SearchForm } from "./search-form.tsx";
import { searchKey, viewOf } from "./search-key.ts";
import { rememberSearch, SearchMenu } from "./search-menu.tsx";
import { selectionText } from "./selection.ts";
import { useOpeningService } from "./use-opening-service.ts";
import { isLive, type Searched, useSearched } from "./use-searched.ts";
import { withCondition } from "./with-condition.ts";

const route = getRouteApi("/search");
const ChosenBar = lazy(() => import("./search-parts.ts").then((file) => ({ default: file.ChosenBar })));
/** Timeout in milliseconds for the request that converts a file to traces. */
const fileTimeoutMs = 60_000;

/** Opens another search. `replace` replaces the current history entry. */
type GoTo = (next: SearchAddress, replace?: boolean) => Promise<void>;

/**
 * The search screen: the form, the overview of all matching spans, the traces chosen for comparing, and the
 * answer. The address contains the whole search, so it can be shared.
 */
export function SearchPage() {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const searched = useSearched(address);
  const { services, can, results } = searched;
  const goTo: GoTo = (next, replace = false) => navigate({ search: addressFields(next), replace });
  const { fileError, setFileError, openFile } = useTraceFile(address, goTo);
  const choosing = useChosenTraces().length > 0;
  useOpeningService(address, searched);

  useEffect(() => {
    document.title = address.service === undefined ? "Search · Tracing" : `${address.service} · Tracing`;
  }, [address.service]);

  function runSearch(next: SearchAddress) {
    rememberSearch(next);
    setFileError(undefined);
    if (next.service !== undefined) {
      rememberService(next.service);
    }
    const same = JSON.stringify(addressFields(next)) === JSON.stringify(addressFields(address));
    if (same) {
      void results.refetch();
    } else {
      void goTo(next);
    }
  }

  return (
    <div className="search-page">
      <h1 className="visually-hidden">Search traces</h1>
      <SearchForm
        key={searchKey(address)}
        address={address}
        hasServices={services.data !== undefined && services.data.total > 0}
        can={can}
        searching={results.isFetching}
        onSearch={(draft) => runSearch(searchOfDraft(draft, address))}
      >
        <FormTools {...{ address, searched, goTo, openFile }} />
      </SearchForm>
      {showsOverview(address, searched) && fileError === undefined && (
        <MatchingSpans {...{ address, searched, goTo }} />
      )}
      {choosing && !embedding.isEmbedded && (
        <Suspense fallback={null}>
          <ChosenBar />
        </Suspense>
      )}
      <Suspense fallback={<Loading>Opening…</Loading>}>
        <SearchBody
          {...{ address, searched, fileError, goTo }}
          onFileRead={() => setFileError(undefined)}
          onSearch={runSearch}
        />
      </Suspense>
    </div>
  );
}

/** Opens files of traces. An error stays until the user dismisses it or runs another search. */
function useTraceFile(address: SearchAddress, goTo: GoTo) {
  const [fileError, setFileError] = useState<unknown>();

  async function openFile(file: File) {
    setFileError(undefined);
    try {
      const { openTraces } = await import("../../api/open-traces.ts");
      await openTraces(file, AbortSignal.timeout(fileTimeoutMs));
      await goTo({ ...address, live: undefined, sel: undefined, file: "1" });
    } catch (error) {
      setFileError(error);
    }
  }

  return { fileError, setFileError, openFile };
}

/** The search of a submitted draft. It keeps the current order and view, and begins at the first page. */
function searchOfDraft(draft: SearchAddress, address: SearchAddress): SearchAddress {
  return {
    ...{ ...draft, sort: address.sort, ...viewOf(address) },
    ...{ page: "1", sel: undefined, file: undefined, traceID: undefined },
  };
}

/** The inputs of {@link MatchingSpans}, which {@link FormTools} shares. */
interface SearchPartProps {
  /** The search that is shown. */
  address: SearchAddress;
  /** The requests of the search and their answers. */
  searched: Searched;
  /** Opens another search. */
  goTo: GoTo;
}

/** The inputs of {@link FormTools}. */
interface FormToolsProps extends SearchPartProps {
  /** Called with a chosen file. */
  openFile: (file: File) => Promise<void>;
}

/** The tools at the end of the form: live view, automatic refresh, and the menu of searches and files. */
function FormTools({ address, searched, goTo, openFile }: FormToolsProps) {
  const live = isLive(address, searched.can);
  return (
    <>
      {searched.can.tail && (
        <button
          type="button"
          className="button"
          data-command={live ? "Stop following spans" : "Follow spans live"}
          aria-pressed={live}
          title="Follow spans as they arrive"
          onClick={() => goTo({ ...address, live: live ? undefined : "1", sel: undefined, file: undefined })}
        >
          Live
        </button>
      )}
      <RefreshSelect value={address.refresh} onChange={(refresh) => goTo({ ...address, refresh }, true)} />
      <SearchMenu address={address} onOpenFile={(file) => void openFile(file)} />
    </>
  );
}

/** True when the overview is shown: for searches of the store without an error. */
function showsOverview(address: SearchAddress, searched: Searched): boolean {
  const { services, results, can, plan, isEmptyStore, isWrong } = searched;
  return (
    !isEmptyStore &&
    !isLive(address, can) &&
    address.file !== "1" &&
    plan.byIds === undefined &&
    !embedding.hidesOverview &&
    !isWrong &&
    !results.isError &&
    !services.isError
  );
}

/** The overview, whose selections and attributes narrow the search. */
function MatchingSpans({ address, searched, goTo }: SearchPartProps) {
  const { plan, results, asks, interval } = searched;
  return (
    <Overview
      plan={plan}
      refetchInterval={interval}
      results={asks ? results.data : undefined}
      onSelect={(selection) =>
        goTo({ ...address, sel: selection === undefined ? undefined : selectionText(selection) })
      }
      onFilter={({ place, key, value }) =>
        goTo({ ...withCondition(address, { scope: place, key, value }), sel: undefined })
      }
      changes={plan.conditions && changesOf(plan.conditions, address)}
    />
  );
}

/** The address that compares the spans of a search with the spans of the time range before. */
function changesOf(
  { service, operation, tags = {} }: SpanConditions,
  { lookback, start, end }: SearchAddress,
) {
  return changesFields(
    changesAddress.parse({
      ...{ service, operation, tags: tagText(tags), lookback, start, end },
      ...(service === undefined || service === "" ? { all: "1" } : {}),
    }),
  );
}
