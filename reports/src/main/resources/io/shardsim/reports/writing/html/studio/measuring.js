// What a log of nccl-tests makes of the question's instance.
import { set, get, isSwept, scalar } from './state.js';
import { digits, percent } from './dom.js';

const own = (question) => (question.instances ?? []).find(({ name }) => name === get(question, 'cluster.instance'));

// The instance of the catalog that a log is held against; undefined where the question has several, or none.
export function base(question) {
  if (isSwept(question, 'cluster.instance')) return undefined;
  return own(question)?.extends ?? get(question, 'cluster.instance');
}

// The question on an instance that reaches what was measured; another log adds to the figures of the one before.
// It is what `calibrate -o` writes.
export function measured(question, of, { figures, fits }, file, date) {
  const before = own(question) ?? { name: of + '-measured', title: of + ' as measured', extends: of };
  const others = (question.instances ?? []).filter(({ name }) => name !== before.name);
  const told = Object.entries(figures).map(([key, value]) => [key, { value: scalar(value), from: 'measured', note: fits.map(quality).join(' ') }]);
  const sources = { ...before.sources, measured: { source: 'nccl-tests: ' + file, date } };
  return set({ ...question, instances: [...others, { ...before, ...Object.fromEntries(told), sources }] }, 'cluster.instance', before.name);
}

const quality = ({ measured_times: times, median_error: error, median_error_of_catalog: catalog }) =>
  `Median error of ${times} measured times: ${percent(error).slice(1)}; with the catalog's figures ${percent(catalog).slice(1)}.`;

export function notes({ base: of, tests, broken, figures, fits }) {
  return [
    ...tests.map(({ collective, nodes, gpus, sizes }) => `Read: ${collective} on ${gpus} GPUs, ${nodes} ${nodes === 1 ? 'node' : 'nodes'}, ${sizes} sizes.`),
    ...broken.map(({ expected_bus_bytes_per_second: rate, explanation }) =>
      `This test looks broken: ${of} should reach ${digits(rate / 1e9)} GB/s busbw.` + (explanation.suspects?.[0] ? ` Likely: ${explanation.suspects[0].title}.` : '')),
    ...Object.entries(figures).map(([key, value]) => `${key} is ${value}, as measured.`),
    ...fits.map(quality),
  ];
}
