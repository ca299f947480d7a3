// Tests reflection, health and both names of a service over a real connection.
import { once } from "node:events";
import { create, createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import {
  type Client,
  type ClientReadableStream,
  credentials,
  makeGenericClientConstructor,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  type ServiceError,
  status,
} from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type HealthCheckRequest,
  type HealthCheckResponse,
  HealthService,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from "../gen/grpc/health/v1/health.ts";
import {
  type ServerReflectionRequest,
  type ServerReflectionResponse,
  ServerReflectionService,
} from "../gen/grpc/reflection/v1/reflection.ts";
import { ServerReflectionService as ServerReflectionAlpha } from "../gen/grpc/reflection/v1alpha/reflection.ts";
import type { CollectorServiceServer, PostSpansRequest } from "../gen/tracing/api_v2/collector.ts";
import { bindServer } from "./bind-server.ts";
import { addHealth, healthServiceName, type ServerHealth } from "./health.ts";
import { addReflection } from "./reflection.ts";
import { collectorService } from "./services.ts";
import { rpcServiceName, withPublicNames } from "./with-public-names.ts";

interface HealthClient extends Client {
  check(
    request: HealthCheckRequest,
    answer: (error: ServiceError | null, response: HealthCheckResponse) => void,
  ): void;
  watch(request: HealthCheckRequest): ClientReadableStream<HealthCheckResponse>;
}

const HealthClient = makeGenericClientConstructor(HealthService, "Health");

function healthClient(): HealthClient {
  return open((at) => new HealthClient(at, credentials.createInsecure()) as unknown as HealthClient);
}

const server = new Server();
const received: PostSpansRequest[] = [];
const clients: Client[] = [];
let address: string;
let health: ServerHealth;

function open<T extends Client>(make: (address: string) => T): T {
  const client = make(address);
  clients.push(client);
  return client;
}

beforeAll(async () => {
  const definitions = withPublicNames(collectorService);
  for (const definition of definitions) {
    const handlers: CollectorServiceServer = {
      postSpans({ request }, callback) {
        received.push(request);
        callback(null, {});
      },
    };
    server.addService(definition, handlers);
  }
  const names = definitions.map(rpcServiceName);
  addReflection(server, [...names, healthServiceName]);
  health = addHealth(server, names);
  const port = await bindServer(server, { host: "127.0.0.1", port: 0 }, ServerCredentials.createInsecure());
  address = `127.0.0.1:${port}`;
});

afterAll(() => {
  for (const client of clients) {
    client.close();
  }
  server.forceShutdown();
});

type Question = ServerReflectionRequest["messageRequest"];

async function reflect(definition: ServiceDefinition, ...questions: Question[]) {
  const Generic = makeGenericClientConstructor(definition, "reflection");
  const client = open((at) => new Generic(at, credentials.createInsecure()));
  const call = client.serverReflectionInfo!();
  const answers: ServerReflectionResponse["messageResponse"][] = [];
  for (const messageRequest of questions) {
    call.write({ host: "h", messageRequest });
  }
  call.end();
  for await (const response of call as AsyncIterable<ServerReflectionResponse>) {
    expect(response.validHost).toBe("h");
    answers.push(response.messageResponse);
  }
  return answers;
}

function filesOf(answer: ServerReflectionResponse["messageResponse"]) {
  if (answer?.$case !== "fileDescriptorResponse") {
    throw new Error(`not files: ${JSON.stringify(answer)}`);
  }
  return answer.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
}

describe("a server with withPublicNames", () => {
  test.each(withPublicNames(collectorService))("answers %o", async (definition) => {
    const Generic = makeGenericClientConstructor(definition, "collector");
    const client = open((at) => new Generic(at, credentials.createInsecure()));
    const batch = { spans: [], process: { serviceName: rpcServiceName(definition), tags: [] } };
    await new Promise((resolve, reject) =>
      client.postSpans!({ batch }, (error: Error | null, answer: unknown) =>
        error === null ? resolve(answer) : reject(error),
      ),
    );
    expect(received.at(-1)).toEqual({ batch });
  });
});

describe("addReflection", () => {
  test.each([
    ["v1", ServerReflectionService],
    ["v1alpha", ServerReflectionAlpha],
  ] as const)("lists the services (%s)", async (_, definition) => {
    expect(await reflect(definition, { $case: "listServices", value: "" })).toEqual([
      {
        $case: "listServicesResponse",
        value: {
          service: [
            { name: "grpc.health.v1.Health" },
            { name: "grpc.reflection.v1.ServerReflection" },
            { name: "grpc.reflection.v1alpha.ServerReflection" },
            { name: "jaeger.api_v2.CollectorService" },
            { name: "tracing.api_v2.CollectorService" },
          ],
        },
      },
    ]);
  });

  test.each(["tracing", "jaeger"])("describes %s.api_v2 with every file it needs", async (name) => {
    const [answer] = await reflect(ServerReflectionService, {
      $case: "fileContainingSymbol",
      value: `${name}.api_v2.CollectorService`,
    });
    const files = filesOf(answer);
    expect(files.map((file) => file.name)).toEqual([
      `${name}/api_v2/collector.proto`,
      `${name}/api_v2/model.proto`,
      "google/protobuf/duration.proto",
      "google/protobuf/timestamp.proto",
    ]);
    // A registry resolves every type name, and throws when a type is missing.
    const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: files.toReversed() }));
    const post = registry.getService(`${name}.api_v2.CollectorService`)?.methods[0];
    expect(post?.input.typeName).toBe(`${name}.api_v2.PostSpansRequest`);
    expect(post?.input.fields[0]?.message?.fields[0]?.message?.typeName).toBe(`${name}.api_v2.Span`);
  });

  test.each([
    "tracing.api_v2.Trace.ProcessMapping",
    "tracing.api_v2.Span.trace_id",
    "tracing.api_v2.ValueType",
    "tracing.api_v2.QueryService.GetTrace",
    "opentelemetry.proto.collector.trace.v1.TraceService",
  ])("finds the file of %s", async (value) => {
    const [answer] = await reflect(ServerReflectionService, { $case: "fileContainingSymbol", value });
    expect(filesOf(answer)[0]?.package).toBe(/^[a-z0-9_.]*[a-z0-9_](?=\.[A-Z])/.exec(value)?.[0]);
  });

  test("answers several questions of one stream, in order", async () => {
    const [file, extension, extensions, nothing, unknown] = await reflect(
      ServerReflectionService,
      { $case: "fileByFilename", value: "jaeger/api_v2/query.proto" },
      {
        $case: "fileContainingExtension",
        value: { containingType: "tracing.api_v2.Span", extensionNumber: 7 },
      },
      { $case: "allExtensionNumbersOfType", value: "tracing.api_v2.Span" },
      undefined,
      { $case: "fileContainingSymbol", value: "no.such.Thing" },
    );
    expect(filesOf(file)[0]?.package).toBe("jaeger.api_v2");
    expect(extension).toMatchObject({ $case: "errorResponse", value: { errorCode: status.NOT_FOUND } });
    expect(extensions).toMatchObject({
      $case: "allExtensionNumbersResponse",
      value: { extensionNumber: [] },
    });
    expect(nothing).toMatchObject({ $case: "errorResponse", value: { errorCode: status.INVALID_ARGUMENT } });
    expect(unknown).toEqual({
      $case: "errorResponse",
      value: { errorCode: status.NOT_FOUND, errorMessage: "not found: no.such.Thing" },
    });
  });
});

describe("addHealth", () => {
  test.each(["", "tracing.api_v2.CollectorService", "jaeger.api_v2.CollectorService"])(
    "says SERVING for %j",
    async (service) => {
      const client = healthClient();
      const answer = await new Promise((resolve, reject) =>
        client.check({ service }, (error, response) => (error === null ? resolve(response) : reject(error))),
      );
      expect(answer).toEqual({ status: ServingStatus.SERVING });
    },
  );

  test("says NOT_FOUND for an unknown name", async () => {
    const client = healthClient();
    const error = await new Promise((resolve) => client.check({ service: "nobody" }, resolve));
    expect(error).toMatchObject({ code: status.NOT_FOUND, details: "unknown service" });
  });

  test("tells watchers of the shutdown and lets them go", async () => {
    const client = healthClient();
    const known = client.watch({ service: "" });
    const unknown = client.watch({ service: "nobody" });
    const [[first], [firstUnknown]] = await Promise.all([once(known, "data"), once(unknown, "data")]);
    expect(first).toEqual({ status: ServingStatus.SERVING });
    expect(firstUnknown).toEqual({ status: ServingStatus.SERVICE_UNKNOWN });
    const ends = Promise.all([once(known, "end"), once(unknown, "end")]);
    const last = once(known, "data");
    unknown.resume();
    health.shutdown();
    expect(await last).toEqual([{ status: ServingStatus.NOT_SERVING }]);
    await ends;
    await new Promise<void>((resolve, reject) =>
      server.tryShutdown((error) => (error === undefined ? resolve() : reject(error))),
    );
  });
});
