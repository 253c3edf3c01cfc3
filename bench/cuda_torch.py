"""Times PyTorch's batched Cholesky on a CUDA device: the divergences of all pairs of n matrices, ns per ordered pair."""
import torch


def pairs(x):
    """S of all pairs, a chunk of rows at a time."""
    n, d = x.shape[0], x.shape[1]
    logdet = 2 * torch.linalg.cholesky(x).diagonal(dim1=-2, dim2=-1).log().sum(-1)
    result = torch.empty(n, n, dtype=x.dtype, device=x.device)
    rows = max(1, int(2e9 / (n * d * d * x.element_size())))
    for i in range(0, n, rows):
        mean = (x[i : i + rows, None] + x[None]) / 2
        factor = torch.linalg.cholesky(mean)
        result[i : i + rows] = 2 * factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)
    return result - (logdet[:, None] + logdet[None]) / 2


def main():
    print("PyTorch", torch.__version__, torch.cuda.get_device_name())
    for n, d in ((8000, 5), (3000, 16), (2000, 24), (1500, 32), (1000, 43), (700, 64), (400, 100), (200, 200)):
        samples = torch.randn(n, d + 10, d, dtype=torch.float64, device="cuda") / (d + 10) ** 0.5
        x = samples.mT @ samples
        pairs(x)
        times = []
        for _ in range(3):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            pairs(x)
            end.record()
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end))
        print(f"{n:6d} {d:4d} {sorted(times)[1] * 1e6 / n**2:12.4f} ns per ordered pair")


if __name__ == "__main__":
    main()
