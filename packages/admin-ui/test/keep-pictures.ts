// Takes the reference pictures that pictures.e2e.test.ts compares with; look at them before you commit them:
//   node test/keep-pictures.ts [name of a picture] …
import { chromium } from "playwright-core";
import { browserFlags, browserPath } from "ui-kit/testing/browser.ts";
import { builtConsole, contextSettings } from "./console-session.ts";
import { album, pictured, showPictured } from "./picture.ts";
import { ServerUnderTest } from "./server-under-test.ts";

const names = process.argv.slice(2);
const server = await ServerUnderTest.start(await builtConsole());
const browser = await chromium.launch({ executablePath: browserPath, args: browserFlags });
for (const shown of pictured) {
  if (names.length > 0 && !names.includes(shown.name)) {
    continue;
  }
  await server.empty();
  const context = await browser.newContext(contextSettings);
  const page = await context.newPage();
  await album.keep(page, shown.name, await showPictured(page, server, shown));
  await context.close();
}
await browser.close();
await server.stop();
