import { goJson } from "../go-text/quote.ts";
import type { QueryService } from "../service/query-service.ts";
import { adjustedCallsOf } from "./adjusted-json.ts";
import type { Endpoint } from "./endpoint.ts";
import { envelope } from "./envelope.ts";
import { integerParam } from "./number-params.ts";

const defaultLookbackMs = 86_400_000n;
const nanosPerMs = 1_000_000n;

/** Clamps a time to the range from 1970 to the largest signed 64-bit number. */
function inRange(nano: bigint): bigint {
  const max = 2n ** 63n - 1n;
  return nano < 0n ? 0n : nano > max ? max : nano;
}

/**
 * `GET /api/dependencies?endTs=ms&lookback=ms[&service=][&adjusted=true]`: calls between services, in the form of
 * Jaeger 1.62. `lookback` defaults to a day. `adjusted` is ours: it adds the calls that sampled spans represent.
 *
 * ```
 * GET /api/dependencies?lookback=3600000
 * {"data":[{"parent":"shop","child":"db","callCount":3}],"total":0,"limit":0,"offset":0,"errors":null}
 * ```
 *
 * Errors: 400 `unable to parse param 'lookback': strconv.ParseInt: parsing "an hour": invalid syntax`, 501 from
 * a store that counts no links.
 */
export function dependenciesEndpoint(service: QueryService): Endpoint {
  return async ({ params, read }) => {
    const endMs = integerParam(params, "endTs") ?? BigInt(Date.now());
    const lookbackMs = integerParam(params, "lookback") ?? defaultLookbackMs;
    const only = params.get("service") ?? "";
    const links = await service.getDependencies(
      {
        startUnixNano: inRange((endMs - lookbackMs) * nanosPerMs),
        endUnixNano: inRange(endMs * nanosPerMs),
        adjusted: params.get("adjusted") === "true",
      },
      read,
    );
    const shown = links
      .filter(({ parent, child }) => only === "" || parent === only || child === only)
      .map(({ parent, child, callCount, adjusted }) => ({
        ...{ parent, child, callCount },
        ...adjustedCallsOf(adjusted),
      }));
    return envelope([goJson(shown)], read);
  };
}
