final class Making {}
