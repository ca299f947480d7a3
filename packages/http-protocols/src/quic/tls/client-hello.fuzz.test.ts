import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { damagedMessage, randomOf } from "wire/testing";
import { ClientHandshake } from "../../testing/client-handshake.ts";
import { QuicError } from "../quic-error.ts";
import { readClientHello } from "./client-hello.ts";
import { encodeTransportParameters, readTransportParameters } from "./transport-parameters.ts";

/** More by `FUZZ_ROUNDS=1000000 vitest run .fuzz.test`. */
const rounds = Number(process.env.FUZZ_ROUNDS ?? 3_000);
const timeoutMs = 20_000 + rounds * 2;

const serverKey = generateKeyPairSync("ed25519").publicKey;
const parameters = encodeTransportParameters({
  ...readTransportParameters(Buffer.from("0f00", "hex"), "client"),
  maxIdleTimeoutMs: 30_000,
  maxData: 2 ** 20,
  maxStreamsBidi: 100,
  ackDelayExponent: 5,
  disableActiveMigration: true,
});

function hellos(): Buffer[] {
  return [{ serverName: "shop.example" }, { groups: [0x17, 0x1d] }, { protocols: ["h3", "hq-interop"] }].map(
    (options) => {
      let hello = Buffer.alloc(0);
      const events = {
        onCrypto: (_: string, bytes: Buffer) => {
          hello = Buffer.from(bytes);
        },
        onWriteSecret: () => {},
        onReadSecret: () => {},
        onEarlyData: () => {},
        onTransportParameters: () => {},
        onHandshakeDone: () => {},
        onHandshakeError: () => {},
      };
      new ClientHandshake({ serverKey, transportParameters: parameters, ...options }, events).start();
      return hello.subarray(4);
    },
  );
}

function countOutcomes(messages: readonly Buffer[], read: (message: Buffer) => unknown) {
  const random = randomOf(8446);
  const seen = { good: 0, refused: 0 };
  for (let round = 0; round < rounds; round++) {
    const message = damagedMessage(messages, random);
    try {
      read(message);
      seen.good++;
    } catch (error) {
      if (!(error instanceof QuicError)) {
        throw new Error(message.toString("hex"), { cause: error });
      }
      seen.refused++;
    }
  }
  return seen;
}

test("reads damaged ClientHellos or answers a QuicError", { timeout: timeoutMs }, () => {
  const seen = countOutcomes(hellos(), readClientHello);
  expect(seen.good).toBeGreaterThan(rounds / 50);
  expect(seen.refused).toBeGreaterThan(rounds / 20);
});

test("reads damaged transport parameters or answers a QuicError", { timeout: timeoutMs }, () => {
  const seen = countOutcomes([parameters], (message) => readTransportParameters(message, "client"));
  expect(seen.good).toBeGreaterThan(rounds / 50);
  expect(seen.refused).toBeGreaterThan(rounds / 20);
});
