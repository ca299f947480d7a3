import { goJson } from "../go-text/go-json.ts";
import type { QueryService } from "../service/query-service.ts";
import { adjustedCallsOf } from "./adjusted-json.ts";
import type { Endpoint } from "./endpoint.ts";
import { envelope } from "./envelope.ts";
import { integerParam } from "./number-params.ts";

const defaultLookbackMs = 86_400_000n;
const nanosPerMs = 1_000_000n;

function inRange(nano: bigint): bigint {
  const max = 2n ** 63n - 1n;
  return nano < 0n ? 0n : nano > max ? max : nano;
}

/**
 * `GET /api/dependencies?endTs=ms&lookback=ms[&service=][&adjusted=true]`: which service calls which. `lookback` is a day
 * by default. `adjusted` adds what calls whose spans were sampled stand for.
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
