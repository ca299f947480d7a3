// Bad input at every port of real processes: each gets the protocol's own error, and the process continues normally.

import { afterAll, beforeAll, describe } from "vitest";
import { type House, openHouse } from "../src/house/house.ts";
import { adminApi } from "./bad-input/admin-api.ts";
import { agentUdp } from "./bad-input/agent-udp.ts";
import { frontDoor } from "./bad-input/front-door.ts";
import { otlpGrpc, postSpans, queryGrpc } from "./bad-input/grpc-doors.ts";
import { agentHttp, thriftHttp, zipkinHttp } from "./bad-input/older-http.ts";
import { otlpHttp } from "./bad-input/otlp-http.ts";
import { queryHttp } from "./bad-input/query-http.ts";
import { storageHttp } from "./bad-input/storage-http.ts";

let house: House;

beforeAll(async () => {
  house = await openHouse();
});

afterAll(() => house?.close());

describe("OTLP over HTTP", () => otlpHttp(() => house));
describe("OTLP over gRPC", () => otlpGrpc(() => house));
describe("PostSpans over gRPC", () => postSpans(() => house));
describe("QueryService over gRPC", () => queryGrpc(() => house));
describe("Thrift over HTTP", () => thriftHttp(() => house));
describe("Zipkin's port", () => zipkinHttp(() => house));
describe("the agent's HTTP port", () => agentHttp(() => house));
describe("the agent's UDP ports", () => agentUdp(() => house));
describe("the query service's HTTP API", () => queryHttp(() => house));
describe("the storage's HTTP port", () => storageHttp(() => house));
describe("the admin API", () => adminApi(() => house));
describe("the front door", () => frontDoor(() => house));
