import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSettled } from "ui-kit/components/use-settled.ts";
import { firstServicesQuery } from "../../api/names.ts";
import { ratesQuery } from "../../api/rates.ts";
import { refetchInterval } from "../../components/refresh-select.tsx";
import { lookbackMs, type ServicesAddress } from "./services-address.ts";
import { useAskedTime } from "./use-asked-time.ts";

/** The queries of the services page. */
export type ShownRates = ReturnType<typeof useShownRates>;

/**
 * Loads the rates of an address: the rates of the page's rows, and the overall rates of the one
 * service. `wanted` is the filter after a pause in typing. `isEmpty` is true when no service was called at all.
 */
export function useShownRates(address: ServicesAddress) {
  const { service, lookback, sort, filter = "", kinds } = address;
  const page = Number(address.page);
  const asked = { endMs: useAskedTime(), lookbackMs: lookbackMs(lookback), kinds };
  const wanted = useSettled(filter.trim());
  const again = { placeholderData: keepPreviousData, refetchInterval: refetchInterval(address.refresh) };
  const rates = useQuery({
    ...ratesQuery({ ...asked, service, contains: wanted, sort, page }),
    ...again,
  });
  const whole = useQuery({
    ...ratesQuery({ ...asked, names: [service ?? ""] }),
    enabled: service !== undefined,
    ...again,
  });
  const isEmpty = service === undefined && wanted === "" && rates.data?.total === 0;
  // Only an empty list needs this request: services may exist that nobody called.
  const services = useQuery({ ...firstServicesQuery, enabled: isEmpty });
  return { rates, whole, services, isEmpty, wanted, page };
}
