"""Chromium without a window, and what the tests ask it about a page."""
import base64
import json
import pathlib
import shutil
import sys

REMEDY = ("tools/setup browser installs it (Debian: chromium chromium-driver python3-selenium); "
          "-DSHARDFFT_TEST_BROWSER=OFF leaves this test out")
try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
except ImportError:
    sys.exit(f"the page is tested in Chromium through Python's selenium; {sys.executable} has none; {REMEDY}")

# Pairs of texts of one drawing that lie on each other by more than a hair, as "a | b".
OVERLAPS = """
const bad = [];
for (const svg of document.querySelectorAll('svg')) {
  const texts = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
  texts.forEach(([a, p], i) => texts.slice(i + 1).forEach(([b, q]) => {
    const w = Math.min(p.right, q.right) - Math.max(p.left, q.left);
    const h = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
    if (w > 1 && h > 0.3 * Math.min(p.height, q.height))
      bad.push(`${svg.querySelector('title').textContent}: ${a} | ${b}`);
  }));
}
return bad;"""

# Drawings and their parts that are empty, or that leave the box that holds them.
MISPLACED = """
const bad = [];
for (const svg of document.querySelectorAll('svg')) {
  const name = svg.querySelector('title').textContent;
  const outer = svg.parentElement.getBoundingClientRect(), box = svg.getBoundingClientRect();
  if (!(box.width > 100 && box.height > 20)) bad.push(`${name}: empty`);
  for (const part of svg.querySelectorAll('text, rect, path')) {
    const r = part.getBoundingClientRect();
    if (part.tagName === 'text' && !(r.width > 0 && r.height > 0)) bad.push(`${name}: empty ${part.textContent}`);
    if (r.left < outer.left || r.right > outer.right + 0.5 || r.top < outer.top || r.bottom > outer.bottom + 0.5)
      bad.push(`${name}: ${part.tagName} ${part.textContent} leaves its box`);
  }
}
return bad;"""

# Contrast by WCAG 2.
RATIOS = """
const parse = c => {
  const m = c.match(/[\\d.]+/g).map(Number);
  return m.length > 3 && m[3] === 0 ? null : m.slice(0, 3);
};
const light = rgb => {
  const [r, g, b] = rgb.map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
const behind = e => {
  for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c) return c; }
  return [255, 255, 255];
};
"""

# Numbers of the map on cells of each shade, which let their card shine through.
ON_CELLS = RATIOS + """
const found = {};
for (const cell of document.querySelectorAll('rect.cell')) {
  const style = getComputedStyle(cell), part = +style.fillOpacity, card = behind(cell.closest('svg'));
  const seen = parse(style.fill).map((v, i) => part * v + (1 - part) * card[i]);
  found[cell.classList[1]] = ratio(seen, parse(getComputedStyle(cell.nextElementSibling).fill));
}
return found;"""

# Texts on what is behind them, marks and bars on their card.
CONTRAST = RATIOS + """
const bad = new Set();
const check = (what, a, b, least) => {
  if (a && ratio(a, b) < least) bad.add(`${what}: ${ratio(a, b).toFixed(2)}`);
};
const walker = document.createTreeWalker(document.querySelector('body'), NodeFilter.SHOW_TEXT);
for (let t = walker.nextNode(); t; t = walker.nextNode()) {
  const e = t.parentElement;
  if (!t.textContent.trim() || e.closest('script, title, desc')) continue;
  const style = getComputedStyle(e), svg = e.closest('svg');
  if (e.classList.contains('on')) continue;
  check(`${e.tagName}.${e.className.baseVal ?? e.className} "${t.textContent.trim().slice(0, 20)}"`,
    parse(svg ? style.fill : style.color), behind(svg ?? e), 4.5);
}
for (const part of document.querySelectorAll('.part'))
  check(`number on ${part.className.baseVal}`, parse(getComputedStyle(document.querySelector('.on')).fill),
    parse(getComputedStyle(part).fill), 4.5);
for (const part of document.querySelectorAll('.part, .mark:not(.hollow), .ours, .peer, .dot:not(.equal)')) {
  if (part.closest('svg')) check(`fill of ${part.className.baseVal}`, parse(getComputedStyle(part).fill),
    behind(part.closest('svg')), 3);
}
return [...bad];"""


class Browser:
    """Speaks to one Chromium; close() ends it."""

    def __init__(self):
        chromium, driver = shutil.which("chromium") or shutil.which("google-chrome"), shutil.which("chromedriver")
        if not (chromium and driver):
            sys.exit(
                f"the page is tested in Chromium; there is no {'chromedriver' if chromium else 'chromium'}; {REMEDY}")
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for word in [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                "--disable-background-networking"
        ]:
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(driver))

    def close(self):
        self.driver.quit()

    def open(self, path, width=1280, scheme="light", script=True):
        """Forgets what was logged before."""
        self.width, phone = width, width < 600
        self.console(), self.driver.get_log("performance")
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 800, "deviceScaleFactor": 2 if phone else 1, "mobile": phone})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                    {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not script})
        self.driver.get(pathlib.Path(path).resolve().as_uri())

    def ask(self, javascript, *arguments):
        return self.driver.execute_script(javascript, *arguments)

    def console(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        """Addresses that the page asked for since open()."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]

    def overflow(self):
        """Pixels by which the page is wider than the window was made; a phone's window grows with a page that is too
        wide."""
        return self.ask("return Math.max(document.documentElement.scrollWidth, innerWidth)") - self.width

    def screenshot(self, path):
        picture = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True})
        pathlib.Path(path).write_bytes(base64.b64decode(picture["data"]))
