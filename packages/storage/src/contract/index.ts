export { type TraceStoreContract, traceStoreContract } from "./trace-store-contract.ts";
