// Takes pictures of every page in both themes and several widths, to be looked at:
//   node test/screenshots.ts <folder> [name-theme-width …]
import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { chromium, type Page } from "playwright-core";
import { browserFlags, browserPath } from "ui-kit/testing/browser.ts";
import { builtConsole } from "./console-session.ts";
import { ServerUnderTest } from "./server-under-test.ts";
import { shopConfig } from "./shop-config.ts";

const folder = path.resolve(process.argv[2] ?? "screenshots");
const only = process.argv.slice(3);
mkdirSync(folder, { recursive: true });
const built = await builtConsole();
const server = await ServerUnderTest.start(built);
const upstream = createServer((_request, response) => void setTimeout(() => response.end("{}"), 8));
await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
const { port } = upstream.address() as AddressInfo;
await server.admin("POST", "/load", shopConfig([`127.0.0.1:${port}`, "127.0.0.1:9"]));
await server.admin("PATCH", "/id/health/handle/0/body", "fine\n");
await server.admin("POST", "/config/apps/http/grace_period", "30s");
const shop = (await server.sites()).find((site) => site.server === "shop");

const caddyfile = `# A shop with an API
shop.localhost {
  encode gzip
  handle /api/* {
    reverse_proxy 127.0.0.1:${port} 127.0.0.1:9
  }
  handle {
    root * /srv/shop
    file_server
  }
}
`;

let going = true;
/** Traffic that comes and goes, some of it failing. */
async function traffic(): Promise<void> {
  for (let round = 0; going; round += 1) {
    const wave = 4 + Math.round(3 * Math.sin(round / 12));
    const paths = Array.from({ length: wave }, (_, index) =>
      round % 9 === 0 && index === 0 ? "/broken" : index % 2 === 0 ? "/health" : "/api/items",
    );
    await Promise.all(
      paths.map((each) => fetch(`http://${shop?.address}${each}`).then((answer) => answer.text())),
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
const running = traffic();

const browser = await chromium.launch({ executablePath: browserPath, args: browserFlags });
const routes = "/apps/http/servers/shop/routes";
const scenes: Record<string, (page: Page) => Promise<void>> = {
  overview: async (page) => {
    await page.goto(`${server.origin}/ui/`);
    await page.getByRole("link", { name: "shop" }).waitFor();
    await page.waitForTimeout(only.length > 0 ? 60_000 : 7_000);
  },
  config: async (page) => {
    await page.goto(
      `${server.origin}/ui/config?at=${encodeURIComponent(`${routes}/2/handle/1/health_checks/active`)}`,
    );
    await page.getByRole("button", { name: "Add" }).waitFor();
  },
  "config-add": async (page) => {
    await page.goto(`${server.origin}/ui/config?at=${encodeURIComponent("/apps/http/servers/shop")}`);
    await page.getByLabel("Name of a new field").fill("time");
  },
  "config-review": async (page) => {
    await page.goto(`${server.origin}/ui/config?at=${encodeURIComponent(`${routes}/0/handle/0`)}`);
    await page.getByLabel("body", { exact: true }).fill("all is well");
    await page.getByLabel("body", { exact: true }).press("Enter");
    await page.getByRole("button", { name: "Review and apply" }).click();
    await page.getByRole("button", { name: "Apply", exact: true }).waitFor();
  },
  "config-fault": async (page) => {
    await page.goto(`${server.origin}/ui/config?at=${encodeURIComponent("/apps/http")}`);
    await page.getByLabel("Name of a new field").fill("http_port");
    await page.keyboard.press("Enter");
    await page.getByLabel("http_port", { exact: true }).fill("70000");
    await page.getByLabel("http_port", { exact: true }).press("Enter");
    await page.getByRole("button", { name: "Review and apply" }).click();
    await page.getByText("This cannot run").waitFor();
  },
  "config-json": async (page) => {
    await page.goto(`${server.origin}/ui/config?view=json&at=${encodeURIComponent(`${routes}/2/handle/1`)}`);
    const text = page.getByLabel("JSON", { exact: true });
    await text.click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("End");
    await page.keyboard.type('\n"flu');
    await page.getByText("flush_interval").first().waitFor();
  },
  import: async (page) => {
    await page.goto(`${server.origin}/ui/import`);
    await page.getByLabel("Caddyfile to import").fill(caddyfile);
    await page.getByText("The server could run this.").waitFor();
  },
  "import-difference": async (page) => {
    await page.goto(`${server.origin}/ui/import?view=difference`);
    await page.getByLabel("Caddyfile to import").fill(caddyfile);
    await page.locator(".difference").first().waitFor();
  },
  "import-fault": async (page) => {
    await page.goto(`${server.origin}/ui/import`);
    await page.getByLabel("Caddyfile to import").fill(caddyfile.replace("encode", "encod"));
    await page.getByText("unrecognized directive").first().waitFor();
  },
  routes: async (page) => {
    await page.goto(`${server.origin}/ui/routes`);
    await page
      .getByText(/of \d\d/)
      .first()
      .waitFor();
  },
  listeners: async (page) => {
    await page.goto(`${server.origin}/ui/listeners`);
    await page.getByRole("rowheader").first().waitFor();
  },
  upstreams: async (page) => {
    await page.goto(`${server.origin}/ui/upstreams`);
    await page.getByRole("rowheader").first().waitFor();
  },
  certificates: async (page) => {
    await page.goto(`${server.origin}/ui/certificates`);
    await page.getByRole("rowheader").getByRole("button").first().click();
  },
  history: async (page) => {
    await page.goto(`${server.origin}/ui/history`);
    await page.getByText("What it changed").waitFor();
  },
  "history-rollback": async (page) => {
    await page.goto(`${server.origin}/ui/history?n=1&view=rollback`);
    await page.getByRole("button", { name: /Roll back/ }).waitFor();
  },
  try: async (page) => {
    await page.goto(`${server.origin}/ui/try?url=http://${shop?.address}/api/items`);
    await page.locator(".way-passed summary").click();
  },
  "try-nobody": async (page) => {
    await page.goto(`${server.origin}/ui/try?url=https://shop.example/`);
    await page.getByText("No server listens there").waitFor();
  },
  help: async (page) => {
    await page.goto(`${server.origin}/ui/`);
    await page.getByRole("link", { name: "shop" }).waitFor();
    await page.keyboard.press("?");
  },
};
for (const [width, height] of [
  [1440, 900],
  [2200, 1100],
  [1024, 700],
  [360, 740],
] as const) {
  for (const theme of ["light", "dark"] as const) {
    const wanted = Object.entries(scenes).filter(
      ([name]) => only.length === 0 || only.includes(`${name}-${theme}-${width}`),
    );
    if (wanted.length === 0) {
      continue;
    }
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: theme,
      timezoneId: "Europe/Berlin",
    });
    const page = await context.newPage();
    page.on("pageerror", (error) => console.error(error));
    page.on("console", (message) => message.type() === "error" && console.error(message.text()));
    for (const [name, show] of wanted) {
      await page.evaluate(() => sessionStorage.clear()).catch(() => {});
      await show(page);
      await page.waitForTimeout(300);
      await page.screenshot({ path: path.join(folder, `${name}-${theme}-${width}.png`) });
    }
    await context.close();
  }
}
going = false;
await running;
await browser.close();
upstream.close();
await server.stop();
