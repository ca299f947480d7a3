// gRPC through the web server: every kind of call, over cleartext and over TLS, with metadata and status.

import {
  type Client,
  type ClientDuplexStream,
  type ClientReadableStream,
  type ClientUnaryCall,
  type ClientWritableStream,
  credentials,
  Metadata,
  makeGenericClientConstructor,
  type requestCallback,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  status,
} from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bindServer } from "wire/grpc";
import { plainSite, startWebServer, type WebServer } from "./web-server.ts";

const asIs = (value: Buffer) => value;
const method = (name: string, requestStream: boolean, responseStream: boolean) => ({
  path: `/test.Echo/${name}`,
  requestStream,
  responseStream,
  requestSerialize: asIs,
  requestDeserialize: asIs,
  responseSerialize: asIs,
  responseDeserialize: asIs,
});
const definition = {
  unary: method("Unary", false, false),
  serverStream: method("ServerStream", false, true),
  clientStream: method("ClientStream", true, false),
  bidi: method("Bidi", true, true),
};

interface EchoClient extends Client {
  unary(request: Buffer, metadata: Metadata, done: requestCallback<Buffer>): ClientUnaryCall;
  serverStream(request: Buffer): ClientReadableStream<Buffer>;
  clientStream(done: requestCallback<Buffer>): ClientWritableStream<Buffer>;
  bidi(): ClientDuplexStream<Buffer, Buffer>;
}

const implementation = {
  unary(call: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>) {
    if (call.request.toString() === "fail") {
      const trailer = new Metadata();
      trailer.set("x-why", "asked to");
      done({ code: status.FAILED_PRECONDITION, details: "not så today", metadata: trailer });
      return;
    }
    const trailer = new Metadata();
    trailer.set("x-got", String(call.metadata.get("x-sent")[0] ?? ""));
    done(null, call.request, trailer);
  },
  serverStream(call: ServerWritableStream<Buffer, Buffer>) {
    for (let index = 0; index < Number(call.request.toString()); index++) {
      call.write(Buffer.from(String(index)));
    }
    call.end();
  },
  clientStream(call: ServerReadableStream<Buffer, Buffer>, done: sendUnaryData<Buffer>) {
    let bytes = 0;
    call.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    call.on("end", () => done(null, Buffer.from(String(bytes))));
  },
  bidi(call: ServerDuplexStream<Buffer, Buffer>) {
    call.on("data", (chunk: Buffer) => call.write(chunk));
    call.on("end", () => call.end());
  },
};

let upstream: Server;
let address = "";
beforeAll(async () => {
  upstream = new Server({ "grpc.max_receive_message_length": -1 });
  upstream.addService(definition, implementation);
  const port = await bindServer(upstream, { host: "127.0.0.1", port: 0 }, ServerCredentials.createInsecure());
  address = `127.0.0.1:${port}`;
});
afterAll(() => upstream.forceShutdown());

const proxy = () => ({
  handler: "reverse_proxy",
  upstreams: [{ dial: address }],
  transport: { protocol: "http", versions: ["h2c"] },
});

describe.each(["cleartext", "TLS"])("over %s", (kind) => {
  let server: WebServer;
  let client: EchoClient;
  beforeAll(async () => {
    const isTls = kind === "TLS";
    const secureSite = {
      tls_connection_policies: [{}],
      routes: [{ match: [{ host: ["localhost"] }], handle: [proxy()] }],
    };
    server = await startWebServer(isTls ? secureSite : plainSite(proxy()));
    const Constructor = makeGenericClientConstructor(definition, "Echo");
    client = new Constructor(
      server.address.replace("127.0.0.1", "localhost"),
      isTls
        ? credentials.createSsl(null, null, null, { rejectUnauthorized: false })
        : credentials.createInsecure(),
      { "grpc.max_receive_message_length": -1 },
    ) as unknown as EchoClient;
  });
  afterAll(async () => {
    client?.close();
    await server?.close();
  });

  test("a unary call comes back with message, status and metadata", async () => {
    const metadata = new Metadata();
    metadata.set("x-sent", "this");
    const trailer = Promise.withResolvers<Metadata>();
    const answer = await new Promise<Buffer | undefined>((resolve, reject) => {
      const call = client.unary(Buffer.from("hello"), metadata, (error, value) =>
        error ? reject(error) : resolve(value),
      );
      call.on("status", (end) => trailer.resolve(end.metadata));
    });
    expect([answer?.toString(), (await trailer.promise).get("x-got")]).toEqual(["hello", ["this"]]);
  });

  test("a failure keeps code, details and metadata", async () => {
    const failure = await new Promise<{ code: number; details: string; metadata: Metadata } | null>(
      (resolve) => client.unary(Buffer.from("fail"), new Metadata(), (error) => resolve(error)),
    );
    expect([failure?.code, failure?.details, failure?.metadata.get("x-why")]).toEqual([
      status.FAILED_PRECONDITION,
      "not så today",
      ["asked to"],
    ]);
  });

  test("a large message comes whole both ways", async () => {
    const large = Buffer.alloc(5 * 1024 * 1024, "large ");
    const answer = await new Promise<Buffer | undefined>((resolve, reject) => {
      client.unary(large, new Metadata(), (error, value) => (error ? reject(error) : resolve(value)));
    });
    expect(answer?.equals(large)).toBe(true);
  });

  test("a stream of the server comes in order", async () => {
    const got: string[] = [];
    for await (const chunk of client.serverStream(Buffer.from("500"))) {
      got.push(String(chunk));
    }
    expect(got).toEqual(Array.from({ length: 500 }, (_, index) => String(index)));
  });

  test("a stream of the client is taken whole", async () => {
    const answer = new Promise<Buffer | undefined>((resolve, reject) => {
      const call = client.clientStream((error, value) => (error ? reject(error) : resolve(value)));
      for (let index = 0; index < 300; index++) {
        call.write(Buffer.alloc(1_000));
      }
      call.end();
    });
    expect((await answer)?.toString()).toBe("300000");
  });

  test("each message of a stream both ways is answered before the next is sent", async () => {
    const call = client.bidi();
    const got: string[] = [];
    await new Promise<void>((resolve, reject) => {
      call.on("data", (chunk: Buffer) => {
        got.push(chunk.toString());
        if (got.length === 50) {
          call.end();
        } else {
          call.write(Buffer.from(String(got.length)));
        }
      });
      call.on("end", resolve);
      call.on("error", reject);
      call.write(Buffer.from("0"));
    });
    expect(got).toEqual(Array.from({ length: 50 }, (_, index) => String(index)));
  });

  test("calls of one connection do not wait for one another", async () => {
    const waiting = client.bidi();
    waiting.on("error", () => {});
    const answers = await Promise.all(
      Array.from(
        { length: 200 },
        (_, index) =>
          new Promise<string>((resolve, reject) => {
            client.unary(Buffer.from(String(index)), new Metadata(), (error, value) =>
              error ? reject(error) : resolve(String(value)),
            );
          }),
      ),
    );
    expect(answers).toEqual(Array.from({ length: 200 }, (_, index) => String(index)));
    waiting.cancel();
  });
});
