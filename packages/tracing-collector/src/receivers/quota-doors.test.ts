import { expect, test } from "vitest";
import { openReceiverFixture, twoTenants } from "../../test/receiver-fixture.ts";
import { type DoorAnswer, doorsFor } from "../../test/span-doors.ts";
import { spanOf } from "../../test/span-rows-fixture.ts";
import { Quotas } from "../pipeline/quotas/quotas.ts";
import { parseQuotas } from "../pipeline/quotas/read-quotas.ts";

const doors = Object.entries(doorsFor(spanOf({ name: "x" })));
const minuteMs = 60_000;
/** 300 s before the end of a day. */
const epochMs = 86_400_000 * 20_000 - 5 * minuteMs;

async function answersOf([, { open, send }]: (typeof doors)[number], quotas: string) {
  const fixture = await openReceiverFixture(undefined, twoTenants);
  const time = { monotonicMs: 0, epochMs };
  const receiver = await open({
    ...fixture.context,
    quotas: new Quotas(parseQuotas(quotas, "test", { enabled: true }), () => time),
  });
  const sendAs = (tenant: string) => send(receiver.port, { "x-tenant": tenant });
  try {
    const [first, second, other] = [await sendAs("acme"), await sendAs("acme"), await sendAs("beta")];
    time.monotonicMs += minuteMs;
    time.epochMs += 10 * minuteMs;
    const later = await sendAs("acme");
    const tenants = (await fixture.spansByTenant()).map(([tenant]) => tenant);
    const refused = fixture.context.metrics.spansRefused.get();
    return { first, second, other, later, tenants, refused: (await refused).values };
  } finally {
    await receiver.stop(AbortSignal.abort());
    await fixture.close();
  }
}

const isKept = (answer: DoorAnswer) =>
  answer === undefined || ("status" in answer && (answer.status === 200 || answer.status === 202));

/** Seconds of the `google.rpc.RetryInfo` at the end of the status, read from its bytes. */
function retrySeconds(details: Buffer): number {
  const name = "type.googleapis.com/google.rpc.RetryInfo";
  // Structure of `Any`: name, then field 2 with RetryInfo; its field 1 is a Duration with seconds in field 1.
  const [tag, length, delayTag, delayLength, secondsTag, ...seconds] = details.subarray(
    details.indexOf(name) + name.length,
  );
  expect([tag, length, delayTag, delayLength, secondsTag]).toEqual([
    ...[0x12, seconds.length + 3, 0x0a, seconds.length + 1, 0x08],
  ]);
  return seconds.reduce((sum, byte, index) => sum + (byte & 0x7f) * 128 ** index, 0);
}

function refusalOf(answer: DoorAnswer): { code: number; retryAfterS: number; text: string } {
  if (answer === undefined) {
    throw new Error("was kept");
  }
  if ("status" in answer) {
    const { status, headers, body } = answer;
    return { code: status, retryAfterS: Number(headers.get("retry-after")), text: body };
  }
  const [details] = answer.metadata.get("grpc-status-details-bin");
  return { code: answer.code, retryAfterS: retrySeconds(details as Buffer), text: answer.details };
}

test.each(doors)("a rate of spans holds for %s, and for one tenant only", async (...door) => {
  const quotas = "defaults: { spans-per-second: 0.1 }";
  const { first, second, other, later, tenants, refused } = await answersOf(door, quotas);
  expect([first, other, later].map(isKept)).toEqual([true, true, true]);
  const { code, retryAfterS, text } = refusalOf(second);
  expect({ code, retryAfterS }).toEqual({ code: door[0].endsWith("gRPC") ? 8 : 429, retryAfterS: 10 });
  expect(text).toContain(
    "RATE_LIMITED: 1 spans are over the quota of tenant acme: spans-per-second 0.1, burst-spans 1",
  );
  expect(tenants).toEqual(["acme", "beta", "acme"]);
  expect(refused).toEqual([
    { value: 1, labels: expect.objectContaining({ reason: "COLLECTOR_RATE_LIMITED" }) },
  ]);
});

test.each(doors)("a quota of bytes ends with the day for %s", async (...door) => {
  // The quota allows the message of each receiver once, but not twice.
  const size = await sizeOf(door);
  const quotas = `tenants: { acme: { bytes-per-day: ${Math.ceil(size * 1.5)} } }`;
  const { first, second, other, later, tenants } = await answersOf(door, quotas);
  expect([first, other, later].map(isKept)).toEqual([true, true, true]);
  const { code, retryAfterS, text } = refusalOf(second);
  expect({ code, retryAfterS }).toEqual({ code: door[0].endsWith("gRPC") ? 8 : 429, retryAfterS: 300 });
  expect(text).toContain(`after ${size} of this day (UTC) are over the quota of tenant acme: bytes-per-day`);
  expect(tenants).toEqual(["acme", "beta", "acme"]);
});

test.each(doors)("a message over a day's bytes is refused for good by %s", async (...door) => {
  const { first, tenants } = await answersOf(door, "tenants: { acme: { bytes-per-day: 10 } }");
  expect(tenants).toEqual(["beta"]);
  if (first === undefined || isKept(first)) {
    throw new Error("was kept");
  }
  if ("status" in first) {
    expect([first.status, first.headers.has("retry-after")]).toEqual([413, false]);
  } else {
    expect([first.code, first.metadata.get("grpc-status-details-bin")]).toEqual([3, []]);
  }
});

const others = doorsFor(spanOf({ name: "y" }));

test.each(doors)("a quota of series ends with the day for %s", async (name, { open, send }) => {
  const fixture = await openReceiverFixture(undefined, twoTenants);
  const time = { monotonicMs: 0, epochMs };
  const quotas = new Quotas(
    parseQuotas("tenants: { acme: { series-per-day: 1 } }", "test", { enabled: true }),
    () => time,
  );
  const receiver = await open({ ...fixture.context, quotas });
  const sendOther = others[name as keyof typeof others]!.send;
  const acme = { "x-tenant": "acme" };
  try {
    const first = await send(receiver.port, acme);
    const refused = await sendOther(receiver.port, acme);
    expect([isKept(first), isKept(await send(receiver.port, acme))]).toEqual([true, true]);
    expect(isKept(await sendOther(receiver.port, { "x-tenant": "beta" }))).toBe(true);
    const { code, retryAfterS, text } = refusalOf(refused);
    expect({ code, retryAfterS }).toEqual({ code: name.endsWith("gRPC") ? 8 : 429, retryAfterS: 300 });
    expect(text).toContain(
      "1 new series after 1 of this day (UTC) are over the quota of tenant acme: series-per-day 1",
    );
    time.epochMs += 10 * minuteMs;
    expect(isKept(await sendOther(receiver.port, acme))).toBe(true);
  } finally {
    await receiver.stop(AbortSignal.abort());
    await fixture.close();
  }
});

/** Bytes of a receiver's message, as the quota counts it. */
async function sizeOf(door: (typeof doors)[number]): Promise<number> {
  const { first } = await answersOf(door, "defaults: { bytes-per-day: 1 }");
  const text = first !== undefined && "status" in first ? first.body : (first?.details ?? "");
  return Number(/message of (\d+) bytes/.exec(text)?.[1]);
}
