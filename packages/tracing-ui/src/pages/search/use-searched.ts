import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef } from "react";
import { type Capabilities, capabilitiesQuery } from "../../api/analysis.ts";
import { firstServicesQuery } from "../../api/names.ts";
import { usePartialReasons } from "../../api/partial-answers.ts";
import { searchQuery, tracesByIdQuery } from "../../api/queries.ts";
import { traceQlSearchQuery } from "../../api/traceql-search.ts";
import { refetchInterval } from "../../components/refresh-select.tsx";
import type { SearchAddress } from "../../searches/search-address.ts";
import { searchPlan } from "./search-plan.ts";

/** Abilities assumed until the server reports its own. */
const nothing = { heatmap: false, compare: false, tail: false, traceql: false };

/** The requests of a search and their answers, as {@link useSearched} returns them. */
export type Searched = ReturnType<typeof useSearched>;

/**
 * Sends the requests of an address. The list is loaded in one of three ways: by ids, by TraceQL, or by
 * fields. `asks` is true when one of them applies. `interval` is the time in milliseconds between two requests.
 */
export function useSearched(address: SearchAddress) {
  const services = useQuery(firstServicesQuery);
  const capabilities = useQuery(capabilitiesQuery);
  const can = capabilities.data ?? nothing;
  const plan = searchPlan(address, can);
  const interval = refetchInterval(address.refresh);
  const again = { placeholderData: keepPreviousData, refetchInterval: interval };
  const bySearch = useQuery({ ...searchQuery(plan.bySearch), ...again });
  const byTraceQl = useQuery({ ...traceQlSearchQuery(plan.byTraceQl), ...again });
  const byIds = useQuery(tracesByIdQuery(plan.byIds));
  const results = plan.byIds !== undefined ? byIds : plan.byTraceQl === undefined ? bySearch : byTraceQl;
  // While a part of the store is unavailable, an empty answer does not prove an empty store.
  const isWhole = usePartialReasons().length === 0;
  const isEmptyStore =
    isWhole && services.data?.total === 0 && address.service === undefined && address.q === undefined;
  const asks = plan.bySearch !== undefined || plan.byTraceQl !== undefined || plan.byIds !== undefined;
  const isWrong = Object.keys(plan.errors).length > 0;
  useSearchAfterEmpty(isEmptyStore, () => results.refetch());
  return { services, capabilities, can, plan, results, interval, asks, isEmptyStore, isWrong };
}

/** Searches again once the first span has arrived, because the earlier empty result is outdated. */
function useSearchAfterEmpty(isEmptyStore: boolean, search: () => Promise<unknown>): void {
  const wasEmpty = useRef(false);
  const searchAgain = useEffectEvent(search);
  useEffect(() => {
    if (!isEmptyStore && wasEmpty.current) {
      void searchAgain();
    }
    wasEmpty.current = isEmptyStore;
  }, [isEmptyStore]);
}

/** True when the live view is shown: the address requests it and the server supports it. */
export function isLive(address: SearchAddress, can: Capabilities): boolean {
  return address.live === "1" && can.tail;
}
