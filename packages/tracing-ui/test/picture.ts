import path from "node:path";
import type { Page } from "playwright-core";
import { PictureAlbum, pictureViewport } from "ui-kit/testing/picture-album.ts";
import type { ShopStore } from "./fixtures/shop-store.ts";
import { type Scene, scenes, showScene } from "./scenes.ts";

/** The reference pictures, two for each of `pictured`. */
export const album = new PictureAlbum(path.resolve(import.meta.dirname, ".."));

const names = [
  ...[
    "search",
    "first-span",
    "live",
    "failure",
    "services",
    "service",
    "dependencies",
    "compare",
    "changes",
    "commands",
  ],
  ...["trace", "trace-details", "trace-flame", "trace-graph", "trace-statistics", "trace-json"],
];

/** The scenes that are compared with a reference: one of each page and view. */
export const pictured: readonly Scene[] = scenes.filter(({ name }) => names.includes(name));

/** Shows a scene as it is pictured, and waits until everything that it asks for is there. */
export async function showPictured(
  page: Page,
  origin: string,
  scene: Scene,
  store: ShopStore,
): Promise<void> {
  await page.setViewportSize(pictureViewport);
  await showScene(page, origin, scene, store);
  await page.waitForLoadState("networkidle");
}
