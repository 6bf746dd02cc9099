// wasm.js MODULE RUNS FILE... -- the digests of a list of runs, as the core computes them in WebAssembly; tests/core/digests.c
// says what the arguments are. With `--time RUN` in place of RUNS: that one run file, three times, with what it took.
'use strict';
const fs = require('fs');
const { load } = require('../../examples/embed.js');

async function main([, , module, runs, ...files]) {
  const hindcast = await load(fs.readFileSync(module));
  const x = hindcast.make();
  const timed = runs === '--time' ? files.shift() : null;
  for (const name of files) x.text(name, fs.readFileSync(name));
  if (timed) return time(x, timed);
  for (const line of fs.readFileSync(runs, 'utf8').split('\n').filter((l) => l)) {
    const [name, file, ...assignments] = line.split('\t');
    x.reset();
    x.configure(file);
    for (const a of assignments) x.set(a);
    x.begin();
    while (x.step(1000));
    console.log(`${name} ${x.digest()} ${x.digest(true)}`);
  }
  x.free();
}

function time(x, file) {
  const took = [];
  for (let i = 0; i < 3; i++) {
    x.reset();
    x.configure(file);
    const start = process.cpuUsage();
    x.begin();
    while (x.step(4096));
    took.push((process.cpuUsage(start).user / 1e6).toFixed(2));
  }
  console.log(`${took.join(' s, ')} s of CPU (first run to third), ${(x.memory() / 2 ** 20).toFixed(0)} MiB; schedule ${x.digest(true)}`);
  x.free();
}

main(process.argv).catch((e) => {
  console.error(e.message);
  process.exit(1);
});
