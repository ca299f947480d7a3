import { configTree } from "./admin-api/config-tree.ts";
import type { Suite } from "./suite.ts";
import { grpc } from "./tracing-api/grpc.ts";
import { otlpHttp } from "./tracing-api/otlp-http.ts";
import { queryHttp } from "./tracing-api/query-http.ts";
import { tempoHttp } from "./tracing-api/tempo-http.ts";

/** All suites. */
export const suites: readonly Suite[] = [otlpHttp, queryHttp, tempoHttp, grpc, configTree];
