// Unpacks the charts' code and figures. Without scripts, and without DecompressionStream, the tables stay open.
'use strict';
(async () => {
  if (!('DecompressionStream' in window)) return;
  const unpack = async id => {
    const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), c => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
    return new Response(stream).text();
  };
  document.documentElement.classList.add('charted');
  for (const table of document.querySelectorAll('details.data')) table.open = false;
  window.shardsimReport = JSON.parse(await unpack('chart-data'));
  const script = document.createElement('script');
  script.textContent = await unpack('chart-code');
  document.body.append(script);
})();
