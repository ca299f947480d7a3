// What pages do besides being read: theme, menu of narrow screens, copy buttons, search. Without it they are whole.

const root = document.documentElement.dataset.root ?? "";

// --- theme ---
const themes = ["system", "light", "dark"];
const themeButton = document.querySelector("button.theme");

function showTheme(theme) {
  document.documentElement.dataset.theme = theme;
  const name = theme === "system" ? "Auto" : theme === "light" ? "Light" : "Dark";
  themeButton.querySelector("span").textContent = name;
  // What is seen is part of what is said.
  themeButton.setAttribute("aria-label", `Theme ${name}`);
}

themeButton.addEventListener("click", () => {
  const current = document.documentElement.dataset.theme ?? "system";
  const theme = themes[(themes.indexOf(current) + 1) % themes.length];
  showTheme(theme);
  try {
    localStorage.setItem("ui.theme", theme);
  } catch {
    // Storage refused: it holds for this page.
  }
});
showTheme(document.documentElement.dataset.theme ?? "system");

// --- menu ---
const menu = document.querySelector("button.menu");
const pages = document.getElementById("pages");

function openMenu(isOpen) {
  menu.setAttribute("aria-expanded", String(isOpen));
  pages.classList.toggle("open", isOpen);
}

menu.addEventListener("click", () => openMenu(menu.getAttribute("aria-expanded") !== "true"));
pages.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
window.scrollTo(window.scrollX, location.hash === "" ? 0 : window.scrollY);

// --- copy buttons ---
if (navigator.clipboard !== undefined) {
  for (const block of document.querySelectorAll("div.code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(block.querySelector("code").textContent);
      button.textContent = "Copied";
      setTimeout(() => {
        button.textContent = "Copy";
      }, 1500);
    });
    block.append(button);
  }
}

// --- search ---
const field = document.querySelector(".search input");
const list = document.getElementById("results");
const mostResults = 12;
let index;
let selected = -1;

function load(path) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = root + path;
    script.onload = resolve;
    script.onerror = () => reject(new Error(`${path} cannot be loaded`));
    document.head.append(script);
  });
}

async function openIndex() {
  await Promise.all([load("assets/minisearch.js"), load("assets/search-index.js")]);
  return window.MiniSearch.loadJSON(window.docsSearchIndex, { fields: ["title", "page", "text"] });
}

function close() {
  list.hidden = true;
  selected = -1;
  field.setAttribute("aria-expanded", "false");
  field.removeAttribute("aria-activedescendant");
}

function select(at) {
  const items = [...list.querySelectorAll("[role=option]")];
  if (items.length === 0) {
    return;
  }
  selected = (at + items.length) % items.length;
  items.forEach((item, index) => {
    item.setAttribute("aria-selected", String(index === selected));
  });
  field.setAttribute("aria-activedescendant", items[selected].id);
  items[selected].scrollIntoView({ block: "nearest" });
}

function resultItem({ title, page, href }, number) {
  const item = document.createElement("li");
  item.id = `result-${number}`;
  item.setAttribute("role", "option");
  const link = document.createElement("a");
  link.href = root + href;
  link.tabIndex = -1;
  link.append(title);
  if (page !== title) {
    const place = document.createElement("small");
    place.textContent = page;
    link.append(place);
  }
  item.append(link);
  item.addEventListener("pointermove", () => {
    if (selected !== number) {
      select(number);
    }
  });
  return item;
}

async function search() {
  const text = field.value.trim();
  if (text === "") {
    close();
    return;
  }
  index ??= openIndex();
  let opened;
  try {
    opened = await index;
  } catch (error) {
    index = undefined;
    showResults([], error.message);
    return;
  }
  if (field.value.trim() !== text) {
    return; // a later one is under way
  }
  const options = { prefix: true, fuzzy: (term) => (term.length > 4 ? 0.2 : false), combineWith: "AND" };
  const found = opened.search(text, { ...options, boost: { title: 4, page: 2 } });
  showResults(found.slice(0, mostResults), `Nothing about “${text}”`);
}

function showResults(found, otherwise) {
  if (found.length === 0) {
    const item = document.createElement("li");
    item.className = "nothing";
    item.textContent = otherwise;
    list.replaceChildren(item);
  } else {
    list.replaceChildren(...found.map(resultItem));
  }
  list.hidden = false;
  field.setAttribute("aria-expanded", "true");
  select(0);
}

field.addEventListener("input", search);
field.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    field.value = "";
    close();
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    select(selected + (event.key === "ArrowDown" ? 1 : -1));
  } else if (event.key === "Enter") {
    list.querySelector("[aria-selected=true] a")?.click();
    close();
  }
});
document.addEventListener("click", ({ target }) => {
  if (!target.closest(".search")) {
    close();
  }
  if (!target.closest("#pages, button.menu")) {
    openMenu(false);
  }
});
document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, textarea, select") !== null;
  if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    field.focus();
  }
});
