#!/usr/bin/env node
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { openShop, shopServices } from "../src/shop.ts";

const closeWithinMs = 5_000;
const help = `A small shop of six services that traces itself with the OpenTelemetry SDK and visits itself all the time.

Usage: shop [options]

  --rate <n>   visits a second (default 2)
  --seed <n>   the same seed gives the same visits and faults (default 1)
  --help       print this text

Spans go to OTEL_EXPORTER_OTLP_ENDPOINT (default http://localhost:4318).
`;

const { values } = parseArgs({
  options: {
    rate: { type: "string", default: "2" },
    seed: { type: "string", default: "1" },
    help: { type: "boolean", short: "h", default: false },
  },
});
const rate = Number(values.rate);
if (values.help || !(rate > 0 && rate <= 1000)) {
  process.stdout.write(help);
  process.exit(values.help ? 0 : 1);
}

const shop = await openShop(Number(values.seed));
const doors = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => doors.abort());
}
process.once("disconnect", () => doors.abort());
process.channel?.unref();
console.log(`the shop is open: ${shopServices.map(({ name }) => name).join(", ")}; ${rate} visits a second`);
await shop.openDoors(rate, doors.signal);
// A collector that is away must not hold up the end: what it has not taken by then is given up.
await Promise.race([shop.close(), sleep(closeWithinMs)]);
process.exit(0);
