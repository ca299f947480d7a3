// Takes the reference pictures that pictures.e2e.test.ts compares with; look at them before you commit them:
//   node test/keep-pictures.ts [name of a scene] …
import { rm } from "node:fs/promises";
import { AppUnderTest } from "./app-under-test.ts";
import { buildApp } from "./build-app.ts";
import { shopStore } from "./fixtures/shop-store.ts";
import { album, pictured, showPictured } from "./picture.ts";

const names = process.argv.slice(2);
const folder = await buildApp();
const app = await AppUnderTest.start(folder);
for (const scene of pictured) {
  if (names.length > 0 && !names.includes(scene.name)) {
    continue;
  }
  const store = shopStore(40);
  const { page, server, close } = await app.open({ traces: store.traces, ...scene.answers });
  await showPictured(page, server.origin, scene, store);
  await album.keep(page, scene.name);
  await close();
}
await app.stop();
await rm(folder, { recursive: true, force: true });
