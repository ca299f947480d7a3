import { lengthUs } from "../links/jaeger-links.ts";
import { type UiConfig, uiConfig } from "../links/ui-config.ts";
import { limits, lookbacks } from "./search-address.ts";

/** The `lookback` values that forms offer: up to `search.maxLookback` of the configuration, and at least one value. */
export function offeredLookbacks({ search }: UiConfig = uiConfig) {
  const mostUs = lengthUs(search.maxLookback?.value ?? "") ?? Number.POSITIVE_INFINITY;
  return lookbacks.filter(({ us }, index) => index === 0 || us <= mostUs);
}

/** The limits of traces that the form offers: up to `search.maxLimit` of the configuration, and at least one. */
export function offeredLimits({ search }: UiConfig = uiConfig) {
  return limits.filter(
    (limit, index) => index === 0 || limit <= (search.maxLimit ?? Number.POSITIVE_INFINITY),
  );
}
