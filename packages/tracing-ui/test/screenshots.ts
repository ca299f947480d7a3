// Takes pictures of every scene in both themes and several widths, to be looked at:
//   node test/screenshots.ts <folder> [name of a scene] …
import { mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { chromium } from "playwright-core";
import { browserFlags, browserPath } from "ui-kit/testing/browser.ts";
import { buildApp } from "./build-app.ts";
import { type FixtureAnswers, startFixtureServer } from "./fixtures/fixture-server.ts";
import { fixtureNowUs, shopStore } from "./fixtures/shop-store.ts";
import { scenes, showScene } from "./scenes.ts";

const folder = path.resolve(process.argv[2] ?? "screenshots");
mkdirSync(folder, { recursive: true });
const names = process.argv.slice(3);
const dist = await buildApp();
const store = shopStore(60);
const answers: FixtureAnswers = { traces: store.traces };
const server = await startFixtureServer(dist, answers);
const browser = await chromium.launch({ executablePath: browserPath, args: browserFlags });
for (const [width, height] of [
  [360, 780],
  [1280, 800],
  [2560, 1440],
] as const) {
  const context = await browser.newContext({
    viewport: { width, height },
    timezoneId: "Europe/Berlin",
    reducedMotion: "reduce",
  });
  for (const scene of scenes) {
    if (names.length > 0 && !names.includes(scene.name)) {
      continue;
    }
    Object.assign(
      answers,
      { failure: undefined, analysis: true, tail: undefined, partial: undefined },
      { traces: store.traces },
    );
    Object.assign(answers, scene.answers);
    const page = await context.newPage();
    page.on("pageerror", (error) => console.error(scene.name, error));
    await page.clock.setFixedTime(fixtureNowUs / 1_000 + 20_000);
    try {
      await showScene(page, server.origin, scene, store);
      for (const theme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme: theme });
        await page.screenshot({ path: path.join(folder, `${scene.name}-${theme}-${width}.png`) });
      }
    } catch (error) {
      console.error(scene.name, width, String(error).split("\n")[0]);
    }
    await page.close();
  }
  await context.close();
}
await browser.close();
await server.close();
await rm(dist, { recursive: true, force: true });
