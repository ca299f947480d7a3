import "./search-page.css";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect } from "react";
import { searchQuery, servicesQuery } from "../../api/queries.ts";
import { FailureNotice, Notice } from "../../components/notice.tsx";
import { FirstSpan } from "./first-span.tsx";
import { lastService, rememberService } from "./last-service.ts";
import { NothingFound } from "./nothing-found.tsx";
import { ResultList } from "./result-list.tsx";
import { addressFields, type SearchAddress } from "./search-address.ts";
import { SearchForm } from "./search-form.tsx";
import { searchOf } from "./search-of.ts";

const route = getRouteApi("/search");
const none: readonly string[] = [];

/** The search screen. The address is the search: whoever has it sees the same question asked. */
export function SearchPage() {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const services = useQuery(servicesQuery);
  const names = services.data ?? none;
  const { search, errors } = searchOf(address);
  const results = useQuery({ ...searchQuery(search), placeholderData: keepPreviousData });

  const goTo = (next: SearchAddress, replace = false) => navigate({ search: addressFields(next), replace });

  // Without a service in the address the page opens on one, so that the first sight is traces.
  const opening = names.find((name) => name === lastService()) ?? names[0];
  useEffect(() => {
    if (address.service !== undefined || opening === undefined) return;
    void navigate({ search: addressFields({ ...address, service: opening }), replace: true });
  }, [address, opening, navigate]);

  useEffect(() => {
    document.title = address.service === undefined ? "Search · Tracing" : `${address.service} · Tracing`;
  }, [address.service]);

  function runSearch(next: SearchAddress) {
    if (next.service !== undefined) rememberService(next.service);
    const same = JSON.stringify(addressFields(next)) === JSON.stringify(addressFields(address));
    if (same) void results.refetch();
    else void goTo(next);
  }

  function body() {
    const failed = [services, results].filter((query) => query.isError);
    const error = failed[0]?.error;
    if (error) return <FailureNotice error={error} onRetry={() => failed.map((query) => query.refetch())} />;
    if (services.data?.length === 0 && address.service === undefined) return <FirstSpan />;
    if (Object.keys(errors).length > 0) {
      return (
        <Notice kind="plain" title="This search cannot be run yet">
          <p>Correct the fields marked above, then search.</p>
        </Notice>
      );
    }
    if (results.data === undefined || search === undefined) return <LoadingRows />;
    if (results.data.length === 0) return <NothingFound address={address} onSearch={runSearch} />;
    return (
      <ResultList
        results={results.data}
        known={names}
        limit={address.limit}
        sort={address.sort}
        stale={results.isFetching}
        onSort={(sort) => goTo({ ...address, sort }, true)}
      />
    );
  }

  return (
    <div className="search-page">
      <h1 className="visually-hidden">Search traces</h1>
      <SearchForm
        key={JSON.stringify({ ...address, sort: undefined })}
        address={address}
        services={names}
        searching={results.isFetching}
        onSearch={(draft) => runSearch({ ...draft, sort: address.sort })}
      />
      {body()}
    </div>
  );
}

/** Rows without content where rows will be: the page does not jump when they come. */
function LoadingRows() {
  return (
    <div className="results loading-rows" role="status">
      <p className="visually-hidden">Searching…</p>
      {Array.from({ length: 12 }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows without content have nothing else
        <div key={index} style={{ width: `${90 - ((index * 37) % 45)}%` }} />
      ))}
    </div>
  );
}
