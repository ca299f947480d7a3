import { Duplex } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import type { ServerDuplexStream, UntypedServiceImplementation } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import type {
  ServerReflectionRequest,
  ServerReflectionResponse,
} from "../gen/grpc/reflection/v1/reflection.ts";
import { addReflection } from "./reflection.ts";

type Call = ServerDuplexStream<ServerReflectionRequest, ServerReflectionResponse>;

/** The handler that a server would call. */
function handlerOf(): (call: Call) => void {
  const services: UntypedServiceImplementation[] = [];
  const server = {
    addService: (_: unknown, service: UntypedServiceImplementation) => void services.push(service),
  };
  addReflection(server as unknown as Parameters<typeof addReflection>[0], ["test.Service"]);
  return services[0]?.serverReflectionInfo as unknown as (call: Call) => void;
}

test("asks a client that does not read its answers for no more requests, and goes on when it does", async () => {
  const requests = 500;
  const answers: ServerReflectionResponse[] = [];
  let isReading = false;
  let goOn = () => {};
  const call = new Duplex({
    objectMode: true,
    read() {},
    write(answer: ServerReflectionResponse, _encoding, done) {
      answers.push(answer);
      if (isReading) {
        done();
      } else {
        goOn = done;
      }
    },
  });
  handlerOf()(call as unknown as Call);
  for (let index = 0; index < requests; index++) {
    const messageRequest = { $case: "fileContainingSymbol", value: `test.Nothing${index}` } as const;
    call.push({ host: "", messageRequest } satisfies ServerReflectionRequest);
  }
  await turn();
  expect(answers.length).toBe(1);
  expect(call.writableLength).toBe(call.writableHighWaterMark);
  expect(call.isPaused()).toBe(true);

  isReading = true;
  goOn();
  while (answers.length < requests) {
    await turn();
  }
  expect(answers.map(({ originalRequest }) => originalRequest?.messageRequest?.value)).toEqual(
    Array.from({ length: requests }, (_, index) => `test.Nothing${index}`),
  );
});
