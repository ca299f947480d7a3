import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ModelPrices } from "./model-prices.ts";

let folder: string;
let path: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "prices-"));
  path = join(folder, "prices.json");
});
afterAll(() => rm(folder, { recursive: true }));

test("prices are those of the file now, and none without a file", async () => {
  expect(await new ModelPrices("").read()).toEqual({ currency: "USD", models: [] });
  const prices = new ModelPrices(path);
  await writeFile(path, '{ "currency": "EUR", "models": [{ "model": "m*", "input": 2.5, "output": 10 }] }');
  await prices.check();
  expect(await prices.read()).toEqual({
    currency: "EUR",
    models: [{ model: "m*", input: 2.5, output: 10 }],
  });
  await writeFile(path, '{ "models": [] }');
  expect(await prices.read()).toEqual({ currency: "USD", models: [] });
});

test.each([
  ["not JSON", "models:"],
  ["currency: is not a currency such as USD", '{ "currency": "$" }'],
  ["models.0.input: Too small", '{ "models": [{ "model": "m", "input": -1, "output": 1 }] }'],
  [
    'models.0: Unrecognized key: "inptu"',
    '{ "models": [{ "model": "m", "input": 1, "output": 1, "inptu": 1 }] }',
  ],
  ["is over the limit of 1048576 bytes", " ".repeat(1_048_577)],
])("a file that is wrong is refused at the start and later: %s", async (message, text) => {
  await writeFile(path, text);
  const shown = message === "not JSON" ? "is not valid JSON" : message;
  await expect(new ModelPrices(path).read()).rejects.toThrow(shown);
  await expect(new ModelPrices(path).check()).rejects.toThrow("option --query.model-prices-file");
});
