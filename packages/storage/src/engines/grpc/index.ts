export { openGrpcStore } from "./grpc-store.ts";
export type { GrpcStoreOptions, GrpcStoreTls, WatchedGrpcStoreTls } from "./grpc-store-options.ts";
