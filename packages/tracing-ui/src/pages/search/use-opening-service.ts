import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect } from "react";
import { namesQuery } from "../../api/names.ts";
import { addressFields, type SearchAddress } from "../../searches/search-address.ts";
import { lastService } from "./last-service.ts";
import type { Searched } from "./use-searched.ts";

const route = getRouteApi("/search");

/**
 * Preselects a service when the store cannot search all services, so that the page opens with traces. The choice is
 * the last searched service if it still exists, else the first service. Other addresses stay unchanged.
 */
export function useOpeningService(address: SearchAddress, searched: Searched): void {
  const { services, capabilities, can } = searched;
  const navigate = route.useNavigate();
  const needsService = capabilities.isFetched && !can.traceql && !address.service && address.q === undefined;
  const last = lastService();
  const known = useQuery({
    ...namesQuery({ contains: last ?? "" }),
    enabled: needsService && last !== undefined,
  });
  const opening =
    last !== undefined && known.isPending
      ? undefined
      : (known.data?.names.find((name) => name === last) ?? services.data?.names[0]);
  useEffect(() => {
    if (!needsService || opening === undefined) {
      return;
    }
    void navigate({ search: addressFields({ ...address, service: opening }), replace: true });
  }, [address, needsService, opening, navigate]);
}
