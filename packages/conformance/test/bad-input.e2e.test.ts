// Bad input at every port of real processes: each gets the protocol's own error, and the process continues normally.

import { afterAll, beforeAll, describe } from "vitest";
import { type AllProcesses, openAllProcesses } from "../src/all-processes/all-processes.ts";
import { adminApi } from "./bad-input/admin-api.ts";
import { agentUdp } from "./bad-input/agent-udp.ts";
import { frontDoor } from "./bad-input/front-door.ts";
import { otlpGrpc, postSpans, queryGrpc } from "./bad-input/grpc-doors.ts";
import { agentHttp, thriftHttp, zipkinHttp } from "./bad-input/older-http.ts";
import { otlpHttp } from "./bad-input/otlp-http.ts";
import { queryHttp } from "./bad-input/query-http.ts";
import { storageHttp } from "./bad-input/storage-http.ts";

let backend: AllProcesses;

beforeAll(async () => {
  backend = await openAllProcesses();
});

afterAll(() => backend?.close());

describe("OTLP over HTTP", () => otlpHttp(() => backend));
describe("OTLP over gRPC", () => otlpGrpc(() => backend));
describe("PostSpans over gRPC", () => postSpans(() => backend));
describe("QueryService over gRPC", () => queryGrpc(() => backend));
describe("Thrift over HTTP", () => thriftHttp(() => backend));
describe("Zipkin's port", () => zipkinHttp(() => backend));
describe("the agent's HTTP port", () => agentHttp(() => backend));
describe("the agent's UDP ports", () => agentUdp(() => backend));
describe("the query service's HTTP API", () => queryHttp(() => backend));
describe("the storage's HTTP port", () => storageHttp(() => backend));
describe("the admin API", () => adminApi(() => backend));
describe("the front door", () => frontDoor(() => backend));
