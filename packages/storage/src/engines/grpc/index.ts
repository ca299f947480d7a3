export { openGrpcStore } from "./grpc-store.ts";
export type { GrpcStoreOptions, GrpcStoreTls, WatchedGrpcStoreTls } from "./grpc-store-options.ts";
export {
  isTooLarge,
  openQuerySource,
  type QuerySource,
  type SourceSearch,
} from "./query-source.ts";
