import path from "node:path";
import type { Locator, Page } from "playwright-core";
import { PictureAlbum, pictureViewport } from "ui-kit/testing/picture-album.ts";
import { firstFingerprint, fixAnswers, passReadings } from "./fixed-answers.ts";
import type { ServerUnderTest } from "./server-under-test.ts";
import { shopConfig } from "./shop-config.ts";

/** The reference pictures, two for each of `pictured`. */
export const album = new PictureAlbum(path.resolve(import.meta.dirname, ".."));

/** The subject of a picture: a page of the console, or something that opens on it. */
export interface Pictured {
  name: string;
  /** Behind `/ui/`. */
  address: string;
  /** Is there once the picture can be taken. */
  sign: string;
  /** Steps on the page before the picture. */
  act?: (page: Page) => Promise<void>;
  /** Parts of the page that change each time. */
  mask?: (page: Page) => Locator;
  /** Whether the server runs no config. */
  empty?: true;
  /** Path of the list that the server cannot answer. */
  failing?: string;
}

const pageWith = (...texts: string[]) =>
  `.console-page${texts.map((text) => `:has-text("${text}")`).join("")}`;
const at = (pointer: string) => `config?at=${encodeURIComponent(pointer)}`;

/** Pictures that are compared with a reference: each page, and each other view of a page. */
export const pictured: readonly Pictured[] = [
  {
    name: "overview",
    address: "",
    sign: pageWith("127.0.0.2:8443", "1 unhealthy", "1 not obtained", "version 3 by"),
    act: passReadings,
  },
  {
    name: "overview-empty",
    address: "",
    sign: pageWith("No server is configured", "no proxies", "none in use", "no history is kept"),
    empty: true,
  },
  { name: "config", address: at("/apps/http/servers/shop/routes/2/handle/1"), sign: "text=health_checks" },
  {
    name: "config-review",
    address: at("/apps/http"),
    sign: ".difference",
    async act(page) {
      const field = page.getByLabel("grace_period", { exact: true });
      await field.fill("1h");
      await field.press("Enter");
      await page.getByRole("button", { name: "Review and apply" }).click();
      await page.getByText("The server could run this.").waitFor();
    },
  },
  {
    name: "import",
    address: "import?view=difference",
    sign: ".difference",
    act: (page) =>
      page
        .getByLabel("Caddyfile to import")
        .fill(
          "{\n\thttp_port 8080\n}\n\nhttp://shop.localhost {\n  encode gzip\n  reverse_proxy /api/* 127.0.0.1:9000\n}\n",
        ),
  },
  {
    name: "config-json",
    address: `${at("/apps/http/servers/shop/routes/2/handle/1")}&view=json`,
    sign: ".cm-line",
  },
  { name: "routes", address: "routes", sign: "tbody tr" },
  {
    name: "listeners",
    address: "listeners",
    sign: "tbody tr",
    mask: (page) => page.getByText("The admin endpoint listens on"),
  },
  { name: "upstreams", address: "upstreams", sign: "tbody tr" },
  { name: "certificates", address: `certificates?open=${firstFingerprint}`, sign: "text=SHA-256" },
  { name: "history", address: "history", sign: ".difference" },
  { name: "history-rollback", address: "history?n=1&view=rollback", sign: ".difference" },
  {
    name: "try",
    address: "try?url=https://eu.shop.example/api/items?page=2",
    sign: ".way-passed[open]",
    act: (page) => page.locator(".way-passed summary").click(),
  },
  {
    name: "failure",
    address: "upstreams",
    sign: ".notice",
    failing: "/reverse_proxy/upstreams",
  },
];

/** Shows what is pictured, and waits until it can be. @returns what is to be painted over */
export async function showPictured(page: Page, server: ServerUnderTest, shown: Pictured): Promise<Locator[]> {
  await page.setViewportSize(pictureViewport);
  if (!shown.empty) {
    await server.admin("POST", "/load", shopConfig(["127.0.0.1:9"]));
  }
  await fixAnswers(page, !shown.empty, shown.failing);
  await page.goto(`${server.origin}/ui/${shown.address}`);
  await shown.act?.(page);
  await page.locator(shown.sign).first().waitFor();
  return shown.mask === undefined ? [] : [shown.mask(page)];
}
