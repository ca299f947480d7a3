import { lengthUs } from "../links/jaeger-links.ts";
import { type UiConfig, uiConfig } from "../links/ui-config.ts";
import { limits, lookbacks } from "./search-address.ts";

/** The look backs that forms offer: up to `search.maxLookback` of the configuration, and one at least. */
export function offeredLookbacks({ search }: UiConfig = uiConfig) {
  const mostUs = lengthUs(search.maxLookback?.value ?? "") ?? Number.POSITIVE_INFINITY;
  return lookbacks.filter(({ us }, index) => index === 0 || us <= mostUs);
}

/** The numbers of traces that the form offers: up to `search.maxLimit`, and one at least. */
export function offeredLimits({ search }: UiConfig = uiConfig) {
  return limits.filter(
    (limit, index) => index === 0 || limit <= (search.maxLimit ?? Number.POSITIVE_INFINITY),
  );
}
