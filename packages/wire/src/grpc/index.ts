export type { CollectorServiceServer } from "../gen/tracing/api_v2/collector.ts";
export type { QueryServiceServer } from "../gen/tracing/api_v2/query.ts";
export type { SamplingManagerServer } from "../gen/tracing/api_v2/sampling.ts";
export { publicNameOf } from "./aliases.ts";
export { addHealth, healthServiceName, type ServerHealth } from "./health.ts";
export { addReflection } from "./reflection.ts";
export {
  type ReloadingCredentialsSettings,
  ReloadingServerCredentials,
} from "./reloading-server-credentials.ts";
export { collectorService, queryService, samplingService } from "./services.ts";
export { rpcServiceName, withPublicNames } from "./with-public-names.ts";
