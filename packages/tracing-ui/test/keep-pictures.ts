// Takes the reference pictures that pictures.e2e.test.ts compares with; look at them before you commit them:
//   node test/keep-pictures.ts [name of a scene] …
import { mkdirSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { AppUnderTest } from "./app-under-test.ts";
import { buildApp } from "./build-app.ts";
import { shopStore } from "./fixtures/shop-store.ts";
import {
  fontWidths,
  PictureDesk,
  pictured,
  pictureFile,
  pictureFolder,
  showPictured,
  themes,
} from "./picture.ts";

const names = process.argv.slice(2);
mkdirSync(pictureFolder, { recursive: true });
const folder = await buildApp();
const app = await AppUnderTest.start(folder);
for (const scene of pictured) {
  if (names.length > 0 && !names.includes(scene.name)) continue;
  const store = shopStore(40);
  const { page, server, close } = await app.open({ traces: store.traces, ...scene.answers });
  await showPictured(page, server.origin, scene, store);
  const desk = await PictureDesk.open(page.context());
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme });
    await writeFile(pictureFile(scene, theme), await desk.take(page));
  }
  const widths = await fontWidths(page);
  await writeFile(path.join(pictureFolder, "fonts.json"), `${JSON.stringify(widths, undefined, 2)}\n`);
  await close();
}
await app.stop();
await rm(folder, { recursive: true, force: true });
