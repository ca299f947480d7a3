import { describe, expect, test } from "vitest";
import { HealthService } from "../gen/grpc/health/v1/health.ts";
import { collectorService, queryService } from "./services.ts";
import { rpcServiceName, withPublicNames } from "./with-public-names.ts";

describe("withPublicNames", () => {
  test("gives the service under both names, with the same methods and codecs", () => {
    const [ours, theirs, ...more] = withPublicNames(queryService);
    expect(more).toEqual([]);
    expect(ours).toBe(queryService);
    expect(Object.keys(theirs!)).toEqual(Object.keys(queryService));
    expect(theirs!.findTraces!.path).toBe("/jaeger.api_v2.QueryService/FindTraces");
    expect(theirs!.findTraces!.requestDeserialize).toBe(queryService.findTraces!.requestDeserialize);
    expect(theirs!.findTraces!.responseStream).toBe(true);
  });

  test("leaves a service without another name alone", () => {
    expect(withPublicNames(HealthService)).toEqual([HealthService]);
  });

  test("names both", () => {
    expect(withPublicNames(collectorService).map(rpcServiceName)).toEqual([
      "tracing.api_v2.CollectorService",
      "jaeger.api_v2.CollectorService",
    ]);
  });
});
