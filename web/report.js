// The report's page: brings what stands in it to life.

(() => {
  const { enliven, follow } = globalThis.crossbindPage;
  enliven(document, JSON.parse(document.getElementById('data').textContent));
  follow();
})();
